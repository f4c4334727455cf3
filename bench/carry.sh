#!/usr/bin/env bash
# Puts the built program and the shared libraries that a bare GPU server lacks into .carry/ (ignored by git). The program
# finds them in lib/ beside itself. glibc, libstdc++ and libgcc are the machine's own.
set -euo pipefail
cd "$(dirname "$0")/.."
rm -rf .carry
mkdir -p .carry/lib
cp build/release/harness .carry/
strip .carry/harness --strip-debug
ldd build/release/harness | awk '$3 ~ /^\// { print $3 }' | grep -vE '/(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|ld-linux[^/]*)\.so' |
  xargs -I{} cp -L {} .carry/lib/
git rev-parse HEAD > .carry/revision
du -sh .carry
