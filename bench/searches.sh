#!/usr/bin/env bash
# How good the searches are on recorded spaces: the tables of docs/searches.md, as Markdown on stdout.
#   bench/searches.sh [SPACES]      SPACES: a folder of recorded spaces (default: $HARNESS_SPACES, else ../shared/spaces)
#   REPEATS=50 SEARCHES="default hillclimb" bench/searches.sh
set -euo pipefail
cd "$(dirname "$0")/.."

spaces=${1:-${HARNESS_SPACES:-../shared/spaces}}
repeats=${REPEATS:-50}
read -r -a searches <<< "${SEARCHES:-default hillclimb iterated-local-search genetic annealing random}"
harness=${HARNESS:-build/release/harness}

# The spaces that searches are compared on, and recorded ones that no choice was ever made with.
compared=(convolution_milo/A100 convolution_milo/A4000 convolution_milo/MI250X dedispersion_milo/A4000
          dedispersion_milo/MI250X legacy_gemm/RTX_3090 legacy_convolution/RTX_2080_Ti legacy_pnpoly/RTX_3090)
unseen=(convolution_milo/A100_T4 noise/gemm_no_flush_L2_backend-CUDA)

if [ ! -d "$spaces" ]; then
  echo "searches.sh: there are no recorded spaces in '$spaces'; give their folder: bench/searches.sh SPACES" >&2
  exit 2
fi

files_of() {
  for space in "$@"; do
    [ -f "$spaces/$space.json.gz" ] || { echo "searches.sh: '$spaces/$space.json.gz' is missing" >&2; exit 2; }
    echo "$spaces/$space.json.gz"
  done
}

table() {   # SPACES...
  local files search before after
  mapfile -t files < <(files_of "$@")
  printf '| search | mean P | at the end | <= 5 %% | seconds |'
  printf ' %s |' "$@"
  printf '\n|---|---|---|---|---|'
  for _ in "$@"; do printf -- '---|'; done
  printf '\n'
  for search in "${searches[@]}"; do
    before=$(date +%s)
    "$harness" simulate "${files[@]}" --search "$search" --repeats "$repeats" --json > "$rows"
    after=$(date +%s)
    python3 - "$search" $((after - before)) "$rows" <<'PY'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[3])]
mean = lambda key: sum(row[key] for row in rows) / len(rows)
near = sum(row["within_5_percent"] for row in rows) / sum(row["repeats"] for row in rows)
cells = [sys.argv[1], f"{mean('score'):+.3f}", f"{mean('score_end'):+.3f}", f"{100 * near:.0f} %", sys.argv[2]]
print("| " + " | ".join(cells + [f"{row['score']:+.3f}" for row in rows]) + " |", flush=True)
PY
  done
}

rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
echo "$repeats repeats a space. P: 0 is what random search is expected to do, 1 the optimum known from the first instant."
echo
table "${compared[@]}"
echo
echo "Files that were never used to choose anything:"
echo
table "${unseen[@]}"
