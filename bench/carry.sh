#!/usr/bin/env bash
# Puts the built program and the shared libraries that a bare GPU server lacks into .carry/ (ignored by git). The program
# finds them in lib/ beside itself. glibc, libstdc++ and libgcc are the machine's own.
set -euo pipefail
cd "$(dirname "$0")/.."
rm -rf .carry
mkdir -p .carry/lib
cp build/release/harness build/release/libharness_capture.so .carry/
for test in test_device_cuda test_worker; do   # for bench/h200.sh gates
  [ ! -e "build/release/tests/$test" ] || cp "build/release/tests/$test" .carry/
done
for bench in trust_bench attention_bench sweep_bench mutation_bench; do
  [ ! -e "build/release/$bench" ] || cp "build/release/$bench" .carry/
done
shopt -s nullglob
strip .carry/harness .carry/test_* .carry/*_bench
ldd .carry/harness .carry/test_* .carry/*_bench | awk '$3 ~ /^\// { print $3 }' | sort -u | grep -vE '/(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux[^/]*)\.so' |
  xargs -I{} cp -L {} .carry/lib/
du -sh .carry
