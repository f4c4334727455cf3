#!/usr/bin/env bash
# What compiler controls (docs/controls.md) bring ten shipped winners on a GPU, with the program that bench/carry.sh packed:
#   bench/controls.sh [SECONDS]     each winner for SECONDS at most (default: 28), then a table
# Every evaluation, with its outcome and time, is a line of $OUT/controls.jsonl (default of OUT: out/).
set -uo pipefail
cd "$(dirname "$0")/.."
OUT=${OUT:-out}
mkdir -p "$OUT"
harness=$PWD/.carry/harness
export HARNESS_HOME=$PWD HARNESS_CACHE=${HARNESS_CACHE:-/tmp/harness-cache}
each=${1:-28}

winners=(
  "vector_scale 10_vector n64m_f32"
  "softmax 30_registers m4096n1024_f32"
  "softmax 10_warp_row m4096n1024_f16"
  "rmsnorm_int8 10_warp_rows prefill_bf16"
  "rmsnorm_int8 10_warp_rows decode_bf16"
)
# The rest: the fastest of a family on the last workload that its default set has on a GPU.
for pair in "paged_decode 30_shared_keys" "paged_gather 10_vector" "gemm 70_specialized" "gemm 40_mma" "attention 75_persistent"; do
  read -r kernel variant <<< "$pair"
  workload=$("$harness" kernels --json | python3 -c '
import json, sys
kernel = next(k for k in json.load(sys.stdin) if k["name"] == sys.argv[1])
print([w["name"] for w in kernel["workloads"] if "default" in w["sets"] and "cuda" in w["devices"]][-1])' "$kernel")
  winners+=("$kernel $variant $workload")
done

: > "$OUT/controls.jsonl"
for winner in "${winners[@]}"; do
  read -r kernel variant workload <<< "$winner"
  timeout -s INT -k 5 "$each" "$harness" eval "$kernel" "$variant" --workload "$workload" --device "${DEVICE:-cuda}" --controls \
    --trust-source --json --db "$OUT/controls.db" >> "$OUT/controls.jsonl" 2>> "$OUT/controls.err" < /dev/null
  echo "$winner: status $?" >&2
done

python3 - "$OUT/controls.jsonl" <<'PY'
import collections, json, sys

runs = collections.defaultdict(list)
for line in open(sys.argv[1]):
    if line.startswith("{"):
        i = json.loads(line)
        runs[i["kernel"], i["variant"], i["workload"]].append(i)
print("| winner | workload | alone, us | tried | same code | slower or same | failed | best, us | gain | with |")
print("|---|---|--:|--:|--:|--:|--:|--:|--:|---|")
for (kernel, variant, workload), tried in runs.items():
    first, rest = tried[0], tried[1:]
    if first["outcome"] != "passed":
        print(f"| `{kernel}/{variant}` | {workload} | {first['outcome']} | | | | | | | |")
        continue
    count = collections.Counter(i["outcome"] for i in rest)
    # What it gained beside the best before it, in the same run: times of different processes are not compared.
    faster = [i for i in rest if i["outcome"] == "passed" and i.get("verdict") == "faster" and i.get("incumbent_ns")]
    gain = 1.0
    for i in faster:
        gain *= i["incumbent_ns"] / i["time_ns"]
    last = faster[-1] if faster else first
    failed = sum(n for outcome, n in count.items() if outcome not in ("passed", "screened", "abandoned", "no_effect"))
    slower = count["screened"] + count["abandoned"] + count["passed"] - len(faster)
    print(f"| `{kernel}/{variant}` | {workload} | {first['time_ns'] / 1e3:.2f} | {len(rest)} | {count['no_effect']} | {slower} | {failed} "
          f"| {last['time_ns'] / 1e3:.2f} | {gain:.3f}x | {last['config'].get('options', '')} |")
PY
