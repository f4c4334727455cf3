#!/usr/bin/env bash
# What is run on the GPU server, with the program that bench/carry.sh packed:
#   bench/h200.sh smoke            devices and every kernel's variants through all gates
#   bench/h200.sh faulty           kernels that go wrong on purpose, and their outcomes
#   bench/h200.sh campaign         the recorded campaign over the attention family (five minutes), and what it cost
#   bench/h200.sh hostile          every attack of tests/hostile (docs/hostile.md), one line each, with the device's own gates only
#   bench/h200.sh trust [SECONDS]  false alarms of every variant on every workload, then a candidate against itself
#   bench/h200.sh gates            the tests that need a GPU (those of the device and of its workers), with what they print
# Results are written under $OUT (default: out/).
set -uo pipefail
cd "$(dirname "$0")/.."
OUT=${OUT:-out}
mkdir -p "$OUT"
harness=$PWD/.carry/harness
export HARNESS_HOME=$PWD HARNESS_CACHE=${HARNESS_CACHE:-/tmp/harness-cache}
: "${HARNESS_REVISION:=$(cat .carry/revision 2>/dev/null || true)}"
export HARNESS_REVISION

smoke() {
  "$harness" devices
  "$harness" devices --json > "$OUT/devices.json"
  local kernel variant
  for kernel in vector_scale softmax rmsnorm_int8 paged_gather attention; do
    for variant in $("$harness" variants "$kernel" --json | python3 -c 'import json,sys; print(*[v["name"] for v in json.load(sys.stdin)])'); do
      "$harness" eval "$kernel" "$variant" --device cuda --db "$OUT/smoke.db" --json > "$OUT/line.json" 2> "$OUT/err.txt"
      echo "$kernel $variant: exit $?"; cat "$OUT/err.txt"
      cat "$OUT/line.json" >> "$OUT/smoke.jsonl"
      python3 - "$OUT/line.json" <<'PY'
import json, sys
for line in open(sys.argv[1]):
    i = json.loads(line)
    print(f"   {i['workload']:28} {i['outcome']:12} {i['time_ns']} cold {i['cold_time_ns']} floor {i['floor_ns']} wall {i['cost']['wall_s']:.2f} "
          f"b {i['cost']['build_s']:.2f} g {i['cost']['gates_s']:.2f} t {i['cost']['timing_s']:.2f} {(i['error'] or {}).get('message', '')[:300]}")
PY
    done
  done
}

# Faulty kernels through real workers: the tests of tests/cli/evaluation_test.cpp with another device name.
faulty() {
  local variant
  for variant in $("$harness" variants faulty --kernels tests/fixtures/faulty --json | python3 -c 'import json,sys; print(*[v["name"] for v in json.load(sys.stdin)])'); do
    "$harness" eval faulty "$variant" --device cuda --no-record --json --kernels tests/fixtures/faulty > "$OUT/line.json" 2> "$OUT/err.txt"
    echo "$variant: exit $? $(cat "$OUT/err.txt")"
    cat "$OUT/line.json" >> "$OUT/faulty.jsonl"
    python3 -c 'import json,sys
for line in open(sys.argv[1]):
    i = json.loads(line); print("  ", i["outcome"], round(i["cost"]["wall_s"], 2), "s", json.dumps(i["error"])[:300], [g["name"] for g in i["gates"] if not g["passed"]])' "$OUT/line.json"
  done
}

hostile() {
  local device=${DEVICE:-cuda} kernel variant
  python3 -c 'import json
for e in json.load(open("tests/hostile/expectations.json")): print(e["kernel"], e["variant"]) if "'"$device"'" in e["devices"] else None' |
  while read -r kernel variant; do
    timeout 60 "$harness" eval "$kernel" "$variant" --kernels tests/hostile --device "$device" ${PREFLIGHT---no-preflight} --db "$OUT/hostile.db" --json < /dev/null 2>> "$OUT/hostile.err" | head -1 >> "$OUT/hostile.$device.jsonl"
  done
  python3 - "$OUT/hostile.$device.jsonl" <<'PY'
import json, sys
for line in open(sys.argv[1]):
    i = json.loads(line)
    failed = [g["name"] for g in i["gates"] if g["passed"] is False]
    print(f"{i['kernel']:11} {i['variant']:28} {i['outcome']:13} {','.join(failed):28} {i['time_ns']} {i['cost']['wall_s']:.1f} s {(i['error'] or {}).get('message', '')[:140]}")
PY
}

trust() {
  timeout "${1:-400}" .carry/trust_bench "$harness" draws cuda:0 | tee "$OUT/draws.json"
  timeout "${2:-300}" .carry/trust_bench "$harness" aa cuda:0 "${3:-1000}" | tee "$OUT/aa.json"
}

gates() {
  local test failed=0
  export HARNESS_PROGRAM=$harness LD_LIBRARY_PATH=$PWD/.carry/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  for test in test_device_cuda test_worker; do
    time ".carry/$test" "[gpu]" || failed=1
  done 2>&1 | tee "$OUT/gates.txt"
  return "$((failed || PIPESTATUS[0]))"
}

campaign() {
  "$harness" run attention --device cuda --workload seeds,headline,batch --budget "${BUDGET:-5m10s}" --usd-per-hour "${USD_PER_HOUR:-3.5}" --db "$OUT/campaign.db" --name "attention on H200" "$@"
  "$harness" export "$OUT/experiments.jsonl" --lean --db "$OUT/campaign.db"
  bench/numbers.sh "$OUT/campaign.db" "$harness" | tee "$OUT/numbers.txt"
  "$harness" cost --by stage --db "$OUT/campaign.db"
}

"$@"
