#!/usr/bin/env bash
# Compiles the program for aarch64 and runs it under qemu's user emulation: run.sh. It takes minutes, so it runs at night
# only, and where g++-aarch64-linux-gnu and qemu-user are installed. That emulator has neither seccomp nor Landlock, so the
# program runs no candidate there; launch.cpp compiles and launches one without walls. The walls are tried in emulated
# machines with kernels of Debian 12 and 13, where qemu-system-arm and cpio are installed; the second evaluates a kernel.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
[ -n "${HARNESS_TEST_ALL:-}" ] || { echo "aarch64: skipped: only HARNESS_TEST_ALL=1 compiles for it"; exit 77; }
for tool in aarch64-linux-gnu-g++ qemu-aarch64; do
  command -v $tool >/dev/null || { echo "aarch64: skipped: there is no $tool here"; exit 77; }
done
release/aarch64.sh build/aarch64_packages || { echo "aarch64: skipped: its libraries could not be had"; exit 77; }
[ -e build/aarch64/build.ninja ] || cmake --preset aarch64 > /dev/null || exit 1
ninja -C build/aarch64 -j "$(nproc)" aarch64_launch aarch64_walls harness > build/aarch64/build.log || { tail -n 40 build/aarch64/build.log; exit 1; }

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

# in_machine SUITE TEXT: a machine with that suite's kernel runs $folder/script, ends with 0 and says it.
in_machine() {
  if tests/aarch64/machine.sh "$1" "$folder/script" "$folder/aarch64_walls" "$folder/harness" > "$folder/said" 2>&1 < /dev/null &&
    grep -qF -- "$2" "$folder/said"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: in a machine with the kernel of $1:"
    tail -n 60 "$folder/said"
  fi
}
skipped=0
if command -v qemu-system-aarch64 > /dev/null && command -v cpio > /dev/null && [ "$(id -u)" -eq 0 ]; then
  cmake --install build/aarch64 --prefix "$folder/harness" --strip > /dev/null
  aarch64-linux-gnu-strip -o "$folder/aarch64_walls" build/aarch64/aarch64_walls
  echo /opt/aarch64_walls > "$folder/script"   # the tests of system/ that try rights and walls
  in_machine bookworm "All tests passed"
  cat > "$folder/script" <<'SCRIPT'
set -e
/opt/aarch64_walls
export HARNESS_DB=/tmp/x.db
/opt/harness/bin/harness doctor > /tmp/doctor
cat /tmp/doctor
grep -qE '^ok +cpu +Arm implementer 0x[0-9a-f]+, part 0x' /tmp/doctor
grep -qE '^ok +time counter +nothing tells' /tmp/doctor
/opt/harness/bin/harness eval vector_scale 00_naive --device cpu --workload n1m_f32 2> /tmp/err || { cat /tmp/err; exit 1; }
SCRIPT
  in_machine trixie "passed"
else
  echo "the walls: skipped: there is no qemu-system-aarch64 (Debian: qemu-system-arm) or no cpio here, or this is not root"
  skipped=1
fi
printf '%s passed, %s failed, %s skipped\n' $passed $failed $skipped
[ -z "${HARNESS_TEST_COUNTS:-}" ] || { mkdir -p "$(dirname "$HARNESS_TEST_COUNTS")"; echo "$passed $failed $skipped" > "$HARNESS_TEST_COUNTS"; }
[ $failed -eq 0 ]
