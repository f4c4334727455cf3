#!/bin/bash
# Whether nvcc compiles what `show --standalone` and `show --resolved` print, for every shipped variant.
#
#   bench/standalone_compiles.sh [KERNEL/VARIANT ...]        default: all; minutes of nvcc for each of attention's
#
# Each variant is evaluated on the cpu device, in a store that is thrown away, and its program compiled for sm_90a. Prints
# a line each: ok and seconds, what show says it cannot be, or the compiler's first error. Status 1 after an error.
# HARNESS: the program; NVCC: the compiler.
set -u
cd "$(dirname "$0")/.." || exit 2
harness=${HARNESS:-build/release/harness}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
[ -x "$nvcc" ] || { echo "standalone_compiles: nvcc was not found; set NVCC" >&2; exit 3; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ $# -eq 0 ]; then
  set -- $(for kernel in kernels/*/; do for v in "$kernel"variants/*.lua; do
    echo "$(basename "$kernel")/$(basename "$v" .lua)"; done; done)
fi
failed=0
for each in "$@"; do
  kernel=${each%/*} variant=${each#*/}
  $harness eval "$kernel" "$variant" --device cpu --db "$work/e.db" --json >"$work/eval" 2>"$work/why"
  number=$($harness query "SELECT max(iteration) FROM v_iterations WHERE kernel = '$kernel' AND variant = '$variant'" \
    --db "$work/e.db" --format csv 2>/dev/null | tail -1 | tr -d '\r')  # lines of CSV end with CR LF
  case $number in ''|*[!0-9]*) echo "$each: not evaluated: $(head -1 "$work/why")"; continue ;; esac
  for form in standalone resolved; do
    if ! $harness show "$number" --$form --db "$work/e.db" >"$work/p.cu" 2>"$work/why"; then
      echo "$each: $form: $(grep -m1 harness: "$work/why")"
      continue
    fi
    what="-o $work/p"; [ $form = resolved ] && what="-cubin -o $work/p.cubin"
    options=$(grep -m1 -o -- '--std=.*FILE.cu' "$work/p.cu" | sed 's/ -cubin//; s/ FILE.cu//')
    begin=$(date +%s)
    if nice -n 19 timeout 600 "$nvcc" -gencode=arch=compute_90a,code=sm_90a ${options:---std=c++17} $what "$work/p.cu" \
      >"$work/log" 2>&1; then
      echo "$each: $form: ok, $(($(date +%s) - begin)) s"
    else
      echo "$each: $form: FAILED: $(grep -m1 -i 'error' "$work/log" || tail -1 "$work/log")"
      failed=1
    fi
  done
done
exit $failed
