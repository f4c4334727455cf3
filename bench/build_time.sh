#!/usr/bin/env bash
# CPU seconds of each part of CI at a revision: a fresh clone, no compiler cache, packages there already.
#   bench/build_time.sh [REVISION]   (default HEAD; prints a Markdown table)
# CPU seconds count every child process; on a busy machine they grow by a tenth or two, wall time by far more.
set -euo pipefail
revision=$(git rev-parse --short "${1:-HEAD}")
here=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CCACHE_DISABLE=1 XDG_CACHE_HOME="$scratch/cache"
TIMEFORMAT='%R %U %S'

row() {   # NAME COMMAND...
  local name=$1 wall cpu; shift
  read -r wall cpu < <({ time "$@" > "$scratch/log" 2>&1 || echo "$name failed" >&2; } 2>&1 |
    awk 'NF == 3 && $1 + 0 == $1 {printf "%.0f %.0f\n", $1, $2 + $3; next} {print > "/dev/stderr"}')
  printf '| %s | %s | %s |\n' "$name" "$wall" "$cpu"
}

programs() { ninja -C build/ci -t targets all | sed -n 's,^tests/\(test_[a-z_0-9]*\): .*LINKER.*,\1,p' | sort; }

git clone -q "$here" "$scratch/clone"
git -C "$scratch/clone" checkout -q "$revision"
cd "$scratch/clone"
echo "| part of CI at $revision | wall s | CPU s |"
echo "|---|--:|--:|"
row "configuring" cmake --preset ci
row "the program" ninja -C build/ci harness
# shellcheck disable=SC2046
row "tests" ninja -C build/ci $(programs)
for test in $(ctest --test-dir build/ci -N | sed -n 's/^ *Test *#[0-9]*: //p'); do
  row "running $test" ctest --test-dir build/ci -R "^$test\$"
done
