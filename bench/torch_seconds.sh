#!/usr/bin/env bash
# Where the seconds of a PyTorch problem go on a GPU, with the program that bench/carry.sh packed:
#   bench/torch_seconds.sh [NAMES]    default: row_softmax linear_gelu (examples/problems)
# For each: PyTorch itself, torch.compile, a first kernel, a campaign of BUDGET (20s). It prints the seconds of each command,
# of its dearest gates, and every start of PyTorch: when, for how long, in the walls or not, which program of ours.
# Results: $OUT/torch_seconds.txt, $OUT/torch_seconds.jsonl. TRUST=1 lets PyTorch run outside of the walls, DEVICE names another device.
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
rm -f "$OUT/torch_seconds.jsonl"

python3 -c 'import time; begin = time.time(); import numpy, torch; print(f"import of PyTorch {torch.__version__}: {time.time() - begin:.1f} s here")'
(cd "$work" && "$harness" init mine > /dev/null)
cd "$work/mine" || exit 1

# Which Python processes of ours begin and end, looked for ten times a second.
watch_starts() {
  python3 - "$1" << 'PY'
import os, sys, time
begin, seen, ended = time.time(), {}, []
def of_ours():
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{pid}/cmdline").read().split("\0")
        except OSError:
            continue
        ours = [w for w in words if w.endswith(("python_call.py", "python_reference.py"))]
        if ours:
            found[pid] = f"{os.path.basename(ours[0])} {' '.join(w for w in words[words.index(ours[0]) + 2:] if w)}"
    return found
while os.path.exists(sys.argv[1]):
    now = of_ours()
    for pid, what in now.items():
        seen.setdefault(pid, (time.time() - begin, what))
    for pid in [p for p in seen if p not in now]:
        at, what = seen.pop(pid)
        ended.append((at, time.time() - begin, what))
    time.sleep(0.1)
for at, what in seen.values():
    ended.append((at, time.time() - begin, what))
for at, end, what in sorted(ended):
    print(f"   started at {at:5.1f} s, was there for {end - at:5.1f} s: {what}")
print(f"   {len(ended)} starts of PyTorch")
PY
}

# WHAT COMMAND...: its seconds, those of its gates, the starts of PyTorch.
step() {
  local what=$1 begin=$EPOCHREALTIME status watcher
  shift
  echo "== $what"
  touch "$work/running"
  watch_starts "$work/running" > "$work/starts" &
  watcher=$!
  timeout 120 "$@" > "$work/out" 2> "$work/err"
  status=$?
  rm -f "$work/running"
  wait "$watcher"
  echo "   exit $status, $(python3 -c "print(round($EPOCHREALTIME - $begin, 1))") s"
  cat "$work/starts"
  grep '^{' "$work/out" >> "$OUT/torch_seconds.jsonl"
  python3 - "$work/out" << 'PY'
import json, sys
for line in open(sys.argv[1]):
    if not line.startswith("{"):
        continue
    one = json.loads(line)
    if "gates" not in one:
        continue
    gates = [(g.get("seconds") or 0, g.get("name"), (g.get("detail") or "")[:100]) for g in one["gates"]]
    cost = one.get("cost") or {}
    print(f"   {one['variant']} on {one['workload']}: {one['outcome']}, {one.get('time_ns')} ns, speedup {one.get('speedup')}; "
          + ", ".join(f"{k} {v:.1f}" for k, v in cost.items() if isinstance(v, float) and v > 0.05))
    print(f"   {len(gates)} gates, {sum(g[0] for g in gates):.1f} s; the dearest:")
    for seconds, name, detail in sorted(gates, reverse=True)[:6]:
        print(f"      {seconds:6.2f} s  {name}: {detail}")
    if one.get("error"):
        print("      " + str(one["error"].get("message"))[:400])
PY
  grep -v '^{' "$work/out" | tail -15
  tail -12 "$work/err"
  return $status
}

seconds_of() {
  local name
  [ $# -gt 0 ] || set -- row_softmax linear_gelu
  for name in "$@"; do
    step "$name comes in" "$harness" new kernel "$name" --from "$source/examples/problems/$name.py" || continue
    step "$name, eager" "$harness" eval "$name" 00_eager --device "$device" "${trust[@]}" --json
    if [ ${#trust[@]} -eq 0 ] && cat "$work/out" "$work/err" | grep -q 'trust-source lets'; then
      trust=(--trust-source)
      step "$name, eager, outside of the walls" "$harness" eval "$name" 00_eager --device "$device" "${trust[@]}" --json
    fi
    step "$name, eager again" "$harness" eval "$name" 00_eager --device "$device" "${trust[@]}" --json
    step "$name, torch.compile" "$harness" eval "$name" 90_compiled --device "$device" "${trust[@]}" --json
    cp "$source/examples/problems/$name.cu" "kernels/$name/variants/00_naive.cu"
    step "$name, a campaign" "$harness" run "$name" --device "$device" --budget "${BUDGET:-20s}" "${trust[@]}"
  done
}

seconds_of "$@" 2>&1 | tee "$OUT/torch_seconds.txt"
rm -rf "$work"
