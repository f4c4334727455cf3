#!/usr/bin/env bash
# CPU seconds of the set-up at two revisions, one after the other on this machine: fresh clones, no compiler cache.
#   bench/build_time.sh OLD NEW [build]  (prints a Markdown table)
# Rows: `./bootstrap build` (what `./bootstrap run` needs), and `./bootstrap test` after it. CPU
# seconds count every child process; on a busy machine they grow by a tenth or two, wall time by far more.
set -euo pipefail
old=$(git rev-parse --short "${1:?usage: bench/build_time.sh OLD NEW}")
new=$(git rev-parse --short "${2:?usage: bench/build_time.sh OLD NEW}")
what=${3:-all}   # build: OLD is built and not tested, which takes half as long
here=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CCACHE_DISABLE=1 XDG_CACHE_HOME="$scratch/cache"
TIMEFORMAT='%R %U %S'

seconds() {   # LOG COMMAND...: "wall cpu"
  local log=$1; shift
  { time "$@" > "$log" 2>&1 || true; } 2>&1 | awk '{printf "%.0f %.0f", $1, $2 + $3}'
}

row() {
  local ratio=-
  [ "$3" = - ] || ratio=$(awk "BEGIN {printf \"%.2f\", $5 / $3}")
  printf '| %s | %s | %s | %s | %s | %s |\n' "$1" "$2" "$3" "$4" "$5" "$ratio"
}

declare -A built tested
for revision in "$new" "$old"; do
  git clone -q "$here" "$scratch/$revision"
  git -C "$scratch/$revision" checkout -q "$revision"
  cd "$scratch/$revision"
  built[$revision]=$(seconds "$scratch/$revision.build" ./bootstrap build)
done
for revision in "$new" "$old"; do
  [ "$revision" = "$new" ] || [ "$what" = all ] || continue
  rm -rf "$scratch/cache"
  cd "$scratch/$revision"
  tested[$revision]=$(seconds "$scratch/$revision.test" ./bootstrap test)
  echo "$revision: $(tail -n 1 "$scratch/$revision.test")" >&2
  grep -E 'Passed|Failed' "$scratch/$revision.test" >&2
done
echo "| command | $old, wall s | $old, CPU s | $new, wall s | $new, CPU s | CPU, new / old |"
echo "|---|---|---|---|---|---|"
# shellcheck disable=SC2086
row "./bootstrap build" ${built[$old]} ${built[$new]}
# shellcheck disable=SC2086
row "./bootstrap test after it" ${tested[$old]:-- -} ${tested[$new]}
