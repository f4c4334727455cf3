#!/usr/bin/env bash
# How good the strategies are on recorded campaigns: the tables of docs/reports/strategies.md, as Markdown on stdout.
#   bench/strategies.sh [SPACES]      SPACES: a folder of recorded spaces (default: $HARNESS_SPACES, else ../shared/spaces)
#   SEEDS=5 STRATEGIES=roi,bandit bench/strategies.sh
#   bench/strategies.sh made          only campaigns that a script makes (bench/made_campaigns.py), in one table
#   MADE="1 2 3" MADE_SEEDS=5 bench/strategies.sh made      the seeds they are made of, and the seeds of each replay
#   MADE="1 5 8" SEEDS=3 SHARE=2 bench/strategies.sh ends   how often roi ended a campaign too early; SHARE: of the record's time
set -euo pipefail
cd "$(dirname "$0")/.."

spaces=${1:-${HARNESS_SPACES:-../shared/spaces}}
ends=
if [ "$spaces" = ends ]; then ends=1 spaces=${HARNESS_SPACES:-../shared/spaces}; fi
seeds=${SEEDS:-20}
strategies=${STRATEGIES:-roi,bench/strategies/once-then-best.lua,bench/strategies/ucb.lua,bandit,ladder}
bench=${STRATEGIES_BENCH:-build/release/strategies_bench}

made_records() {
  for seed in ${MADE:-1 2 3 4 5 6 7 8 9 10 11 12}; do bench/made_campaigns.py "$folder" --seed "$seed"; done
}

if [ "$spaces" = made ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  mapfile -t records < <(made_records)
  "$bench" table "${MADE_SEEDS:-5}" 1 "$strategies" "${records[@]}" | bench/strategies_made.py
  exit 0
fi

if [ ! -d "$spaces" ]; then
  echo "strategies.sh: there are no recorded spaces in '$spaces'; give their folder: bench/strategies.sh SPACES" >&2
  exit 2
fi

convolution=convolution:use_shmem,use_padding,read_only=$spaces/convolution_milo/A100.json.gz
convolution+=,$spaces/convolution_milo/A4000.json.gz,$spaces/convolution_milo/MI250X.json.gz
dedispersion=dedispersion:tile_stride_x,tile_stride_y=$spaces/dedispersion_milo/A4000.json.gz
dedispersion+=,$spaces/dedispersion_milo/MI250X.json.gz
pnpoly=pnpoly:between_method,use_method=$spaces/legacy_pnpoly/RTX_3090.json.gz
gemm=gemm:SA,SB=$spaces/legacy_gemm/RTX_3090.json.gz

if [ -n "$ends" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  sed 's/^local WORTH = .*/local WORTH = 0/' strategies/roi.lua > "$folder/endless.lua"   # something is always expected
  mapfile -t records < <(made_records)
  "$bench" ends "$seeds" "${SHARE:-2}" roi "$folder/endless.lua" bench/records/bytes.jsonl "${records[@]}"
  exit 0
fi

echo "$seeds seeds. A replay that never reached the score counts as the whole budget."
printf '\nRecords that roi was tuned on:\n'
"$bench" table "$seeds" 0.3 "$strategies" bench/h200/from_nothing.jsonl
"$bench" table "$seeds" 1 "$strategies" "convolution@1800@$convolution"
"$bench" table "$seeds" 1 "$strategies" "three-kernels@600@$dedispersion+$pnpoly+$gemm"
printf '\nRecords that nothing was tuned on:\n'
"$bench" table "$seeds" 0.3 "$strategies" bench/h200/space_s128.jsonl
"$bench" table "$seeds" 1 "$strategies" bench/records/bytes.jsonl
