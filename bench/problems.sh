#!/usr/bin/env bash
# Problems as their owners have them, on a GPU with PyTorch (and Triton), with the program that bench/carry.sh packed:
#   bench/problems.sh torch [NAMES]    problems of examples/problems: in with `new kernel --from`, eager and torch.compile
#                                      judged and timed, a first kernel by `eval --source`, then a campaign of 15 s
#   bench/problems.sh triton [NAMES]   Triton files of examples/triton: in with `adopt FILE.py`, a campaign of BUDGET (30s)
#   bench/problems.sh split            a Triton variant of two launches (examples/triton/split_softmax.py)
#   bench/problems.sh proof [FOLDER]   below 300 s: a row softmax by eager PyTorch and torch.compile, a kernel in Gluon, then the
#                                      plugins of FOLDER that bench/audit.py kept, for AUDIT_S (150) seconds
# Results are written under $OUT (default: out/): problems.jsonl, problems.txt. TRUST=1 lets PyTorch run outside of the walls.
set -uo pipefail
cd "$(dirname "$0")/.."
OUT=${OUT:-out}
mkdir -p "$OUT"
OUT=$(cd "$OUT" && pwd)
source=$PWD
harness=${HARNESS:-$PWD/.carry/harness}
export HARNESS_HOME=$PWD HARNESS_CACHE=${HARNESS_CACHE:-/tmp/harness-cache}
device=${DEVICE:-cuda}
trust=()
[ -z "${TRUST:-}" ] || trust=(--trust-source)
work=$(mktemp -d)
(cd "$work" && "$harness" init mine > /dev/null)
cd "$work/mine" || exit 1

# WHAT COMMAND...: its output with what it took; its JSON lines are kept.
step() {
  local what=$1 begin=$EPOCHREALTIME status
  shift
  echo "== $what"
  timeout 280 "$@" > "$OUT/step.out" 2> "$OUT/step.err"
  status=$?
  grep '^{' "$OUT/step.out" >> "$OUT/problems.jsonl"
  grep -v '^{' "$OUT/step.out"
  tail -15 "$OUT/step.err"
  echo "   exit $status, $(python3 -c "print(round($EPOCHREALTIME - $begin, 1))") s"
  return $status
}

# The lines of an evaluation that one wants to read.
shown() {
  python3 - "$OUT/step.out" << 'PY'
import json, sys
for line in open(sys.argv[1]):
    if not line.startswith("{"):
        continue
    i = json.loads(line)
    if "workload" not in i:
        continue
    time = i.get("time_ns")
    print(f"   {i['variant']:14} {i['workload']:44} {i['outcome']:12} {'' if time is None else f'{time / 1000:.2f} us'} "
          f"cold {i.get('cold_time_ns')} speedup {i.get('speedup')} floor {i.get('floor_ns')}")
    for error in i.get("errors") or []:
        print(f"      '{error.get('argument')}': relative error {error.get('relative_l2'):.3g}, tolerance {error.get('tolerance'):.3g}")
    print("      " + str((i.get("samples") or {}).get("method") or i.get("method") or "")[:300])
    if i.get("error"):
        print("      " + i["error"].get("message", "")[:600])
PY
}

# PyTorch by itself; where the walls keep the GPU from it, once more without them, and from then on.
eager() {
  step "$1, eager" "$harness" eval "$1" 00_eager --device "$device" "${trust[@]}" --json; shown
  if [ ${#trust[@]} -eq 0 ] && cat "$OUT/step.out" "$OUT/step.err" | grep -q 'trust-source lets'; then
    trust=(--trust-source)
    step "$1, eager, outside of the walls" "$harness" eval "$1" 00_eager --device "$device" "${trust[@]}" --json; shown
  fi
}

torch_problems() {
  local name
  [ $# -gt 0 ] || set -- row_softmax layer_normed linear_gelu max_pool
  for name in "$@"; do
    step "$name comes in" "$harness" new kernel "$name" --from "$source/examples/problems/$name.py" || continue
    eager "$name"
    step "$name, torch.compile" "$harness" eval "$name" 90_compiled --device "$device" "${trust[@]}" --json; shown
    step "$name, a first kernel" "$harness" eval "$name" 00_naive --source "$source/examples/problems/$name.cu" --device "$device" "${trust[@]}" --json; shown
    cp "$source/examples/problems/$name.cu" "kernels/$name/variants/00_naive.cu"
    step "$name, a campaign" "$harness" run "$name" --device "$device" --budget "${BUDGET:-15s}" "${trust[@]}"
  done
}

triton_files() {
  local name
  [ $# -gt 0 ] || set -- softmax layer_norm matmul
  for name in "$@"; do
    step "$name.py comes in" "$harness" adopt "$source/examples/triton/$name.py" --name "triton_$name" || continue
    cat "kernels/triton_$name/variants/10_triton.lua"
    eager "triton_$name"
    step "$name, its launch" "$harness" eval "triton_$name" 10_triton --device "$device" "${trust[@]}" --json; shown
    step "$name, a campaign" "$harness" run "triton_$name" --device "$device" --budget "${BUDGET:-30s}" "${trust[@]}"
  done
}

# What is told first is what would be missed most.
proof() {
  local folder=${1:-}
  [ -z "$folder" ] || folder=$(cd "$source" && cd "$folder" && pwd)
  step "row_softmax comes in" "$harness" new kernel row_softmax --from "$source/examples/problems/row_softmax.py" && {
    eager row_softmax
    step "row_softmax, torch.compile" "$harness" eval row_softmax 90_compiled --device "$device" "${trust[@]}" --json; shown
  }
  step "a kernel in Gluon comes in" "$harness" adopt "$source/examples/triton/gluon_softmax.py" --name gluon_softmax && {
    step "its launch" "$harness" eval gluon_softmax 10_triton --device "$device" "${trust[@]}" --json; shown
  }
  [ -z "$folder" ] ||
    HARNESS=$harness python3 "$source/bench/audit.py" judge "$folder" --device "$device" --seconds 40 --budget "${AUDIT_S:-150}" \
      --out "$OUT/audit.json"
}

case ${1:-torch} in
  torch) shift; torch_problems "$@" ;;
  triton) shift; triton_files "$@" ;;
  split) triton_files split_softmax ;;
  proof) shift; proof "$@" ;;
  *) sed -n '2,9p' "$source/bench/problems.sh"; exit 2 ;;
esac 2>&1 | tee "$OUT/problems.txt"
rm -rf "$work"
