#!/usr/bin/env bash
# How good the searches are: the tables of docs/reports/searches.md, as Markdown on stdout.
#   bench/searches.sh [SPACES]      SPACES: a folder of recorded spaces (default: $HARNESS_SPACES, else ../shared/spaces)
#   REPEATS=50 SEARCHES="default hillclimb" bench/searches.sh
#   bench/searches.sh made          only the spaces that a script makes (bench/made_spaces.py)
#   MADE="1 2 3" MADE_REPEATS=20 bench/searches.sh made      the seeds they are made of (none: MADE="")
set -euo pipefail
cd "$(dirname "$0")/.."

spaces=${1:-${HARNESS_SPACES:-../shared/spaces}}
repeats=${REPEATS:-50}
made=${MADE-1 2} made_repeats=${MADE_REPEATS:-20}
read -r -a searches <<< "${SEARCHES:-default hillclimb iterated-local-search genetic annealing random}"
harness=${HARNESS:-build/release/harness}

# The spaces that searches are compared on, and recorded ones that no choice was ever made with.
compared=(convolution_milo/A100 convolution_milo/A4000 convolution_milo/MI250X dedispersion_milo/A4000
          dedispersion_milo/MI250X legacy_gemm/RTX_3090 legacy_convolution/RTX_2080_Ti legacy_pnpoly/RTX_3090)
unseen=(convolution_milo/A100_T4 noise/gemm_no_flush_L2_backend-CUDA)

if [ "$spaces" != made ] && [ ! -d "$spaces" ]; then
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

# One row a search: over all spaces, then the mean of each kind. A space's score is the mean over its repeats.
table_of_made() {
  local seed search before after
  for seed in $made; do bench/made_spaces.py "$folder" --seed "$seed" > /dev/null; done
  for search in "${searches[@]}"; do
    before=$(date +%s)
    "$harness" simulate "$folder"/*.json.gz --search "$search" --repeats "$made_repeats" --json > "$rows"
    after=$(date +%s)
    python3 - "$search" $((after - before)) "$rows" "${searches[0]}" <<'PY'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[3])]
kinds = {}
for row in rows:
    kinds.setdefault(row["space"].split("/")[-1].rsplit("_", 1)[0], []).append(row)
mean = lambda rows, key: sum(row[key] for row in rows) / len(rows)
worst = min(rows, key=lambda row: row["score"])
seeds = [score for row in rows for score in row["per_seed"]]
if sys.argv[1] == sys.argv[4]:
    print("| search | mean P | worst space | repeats below 0 | at the end | <= 5 % | seconds | " + " | ".join(kinds) + " |")
    print("|---" * (7 + len(kinds)) + "|")
cells = [sys.argv[1], f"{mean(rows, 'score'):+.3f}", f"{worst['score']:+.3f} ({worst['space'].split('/')[-1]})",
         f"{sum(score < 0 for score in seeds)} of {len(seeds)}", f"{mean(rows, 'score_end'):+.3f}",
         f"{100 * sum(row['within_5_percent'] for row in rows) / len(seeds):.0f} %", sys.argv[2]]
print("| " + " | ".join(cells + [f"{mean(of, 'score'):+.3f}" for of in kinds.values()]) + " |", flush=True)
PY
  done
}

rows=$(mktemp) folder=$(mktemp -d)
trap 'rm -rf "$rows" "$folder"' EXIT
if [ -n "$made" ]; then
  echo "$made_repeats repeats a space that a script made, seeds: $made."
  echo
  table_of_made
  echo
fi
[ "$spaces" != made ] || exit 0
echo "$repeats repeats a space. P: 0 is what random search is expected to do, 1 the optimum known from the first instant."
echo
table "${compared[@]}"
echo
echo "Files that were never used to choose anything:"
echo
table "${unseen[@]}"
