#!/usr/bin/env bash
# Compiles the program for aarch64 and runs it under qemu's user emulation: run.sh. It takes minutes, so it runs at night
# only, and where g++-aarch64-linux-gnu and qemu-user are installed. The emulator has neither seccomp nor Landlock, so the
# walls are not tried here and the program runs no candidate; launch.cpp compiles and launches one without them.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
[ -n "${HARNESS_TEST_ALL:-}" ] || { echo "aarch64: skipped: only HARNESS_TEST_ALL=1 compiles for it"; exit 77; }
for tool in aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v $tool >/dev/null || { echo "aarch64: skipped: there is no $tool here"; exit 77; }
done
release/aarch64.sh build/aarch64_packages || { echo "aarch64: skipped: its libraries could not be had"; exit 77; }
[ -e build/aarch64/build.ninja ] || cmake --preset aarch64 > /dev/null || exit 1
ninja -C build/aarch64 -j "$(nproc)" aarch64_launch harness > build/aarch64/build.log || { tail -n 40 build/aarch64/build.log; exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HARNESS_CACHE=$folder/cache HARNESS_DB=$folder/x.db
passed=0 failed=0
root=$PWD/build/aarch64_packages/root   # the libraries that the program is linked with
libraries=$root/lib/aarch64-linux-gnu:$root/usr/lib/aarch64-linux-gnu
harness() { qemu-aarch64 -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=$libraries" build/aarch64/harness "$@"; }
# says STATUS TEXT WORDS...: the command ends with it and says it.
says() {
  local status=0 wanted=$1 text=$2
  shift 2
  harness "$@" > "$folder/said" 2>&1 < /dev/null || status=$?
  if [ "$status" -eq "$wanted" ] && grep -qF -- "$text" "$folder/said"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: harness $*: status $status instead of $wanted, or it does not say '$text':"
    tail -n 20 "$folder/said"
  fi
}
says 0 "harness $(sed -n 's/^project(harness VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)" --version
says 0 attention kernels
says 0 vector-loads variants vector_scale
says 0 '"architecture":"aarch64"' devices --json
says 0 "no seccomp" doctor
says 0 "22 iterations added" import --as-evidence bench/h200/agent_dot.jsonl
says 0 dot best
says 0 '"n":' query "SELECT count(*) AS n FROM v_iterations" --format json
says 3 "untrusted source is not run here" eval vector_scale 00_naive --device cpu   # an emulator without walls
if PATH=$PWD/tests/aarch64/native:$PATH qemu-aarch64 -L /usr/aarch64-linux-gnu build/aarch64/aarch64_launch; then
  passed=$((passed + 1))
else
  failed=$((failed + 1))
fi
printf '%s passed, %s failed, 0 skipped\n' $passed $failed
[ -z "${HARNESS_TEST_COUNTS:-}" ] || { mkdir -p "$(dirname "$HARNESS_TEST_COUNTS")"; echo "$passed $failed 0" > "$HARNESS_TEST_COUNTS"; }
[ $failed -eq 0 ]
