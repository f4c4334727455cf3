#!/usr/bin/env bash
# What is run on the GPU server, with the program that bench/carry.sh packed:
#   bench/h200.sh smoke            devices and every kernel's variants through all gates
#   bench/h200.sh faulty           kernels that go wrong on purpose, and their outcomes
#   bench/h200.sh campaign         the recorded campaign over the attention family (five minutes), and what it cost
#   bench/h200.sh hostile          every attack of tests/hostile (docs/hostile.md), one line each, with the device's own gates only
#   bench/h200.sh trust [SECONDS]  false alarms of every variant on every workload, what gates cost, a candidate against itself
#   bench/h200.sh loaded [SECONDS] [SEED]  a candidate against itself, alone and beside bench/gpu_load.py on the same GPU, SECONDS each (PyTorch)
#   bench/h200.sh eager [BUDGET]   packages of attention and softmax, and where the host time of an eager call goes (bench/eager_call.py; g++, PyTorch)
#   bench/h200.sh soak [COUNT]     honest, hostile and faulty candidates in turn, on every GPU
#   bench/h200.sh duel [BUDGET]    a campaign with each of two strategies from empty stores, on two GPUs at once
#   bench/h200.sh space [BUDGET]   every configuration of the attention family on the two headline workloads, on two GPUs at once
#   bench/h200.sh attention [STORE|-] [variants=NAME,...] [WORKLOADS...]  attention variants in the best configurations that STORE knows, else in their authors', and cuDNN's engines, in turns
#   bench/h200.sh table [WORKLOADS...]  the table of docs/reports/attention.md: the configurations of bench/best_known.txt, with all gates, and the libraries, in turns
#   bench/h200.sh torch WORKLOADS...  what PyTorch's backends take on them (where PyTorch is there)
#   bench/h200.sh gradients [SECONDS]  attention_backward: every variant through all gates at 2k, PyTorch's gradients, then a campaign of
#                                      SECONDS (150) over six workloads; 300 s in all
#   bench/h200.sh moe [SECONDS [WORKLOADS]]  fused_moe: every variant through all gates at a small and up to two real workloads, PyTorch's ways to
#                                      write it, times of some configurations without gates, then a campaign of SECONDS (200) over WORKLOADS (eight,
#                                      with commas); PARTS="gates torch sweep campaign" says which of these; each takes two to four minutes;
#                                      "costs" (not by default): which gates the seconds of an evaluation go into
#   bench/h200.sh bandwidth [SECONDS [KERNELS]]  kernels that only memory bounds: softmax of long rows, paged_decode, rmsnorm_int8, paged_gather
#                                      (KERNELS, with commas). Their newest variants through all gates, times of configurations that DRAW draws
#                                      (8 of each variant) take without gates, then a campaign of SECONDS (60) a kernel; PARTS="gates sweep campaign" says
#                                      which of these. Gates and sweep of softmax take about 100 s, of each other kernel 40
#   bench/h200.sh products         products of matrices and attention_backward: times without gates of the configurations whose effect docs/reports/gemm.md,
#                                      docs/gemm_fp8.md and docs/attention_backward.md predict, beside those that they came from;
#                                      PARTS="large fp8 backward narrow" says which of these, 30 to 60 s each
#   bench/h200.sh sweep WORKLOAD VARIANT[,NAME=VALUE]...  times of all configurations of variants of KERNEL (attention), without gates: for authors
#   bench/h200.sh gates            the tests that need a GPU (those of the device and of its workers), with what they print
#   bench/h200.sh rate [KERNEL VARIANTS WORKLOAD]  how many evaluations a minute from the command on, with nothing compiled and again (TURNS="cold warm"; STRATEGY, SEARCH)
#   bench/h200.sh beside_kernel_tuner FOLDER  the same two, and Kernel Tuner on the same kernel and configurations: a table (FOLDER: see bench/kernel_tuner.py)
#   bench/h200.sh fresh [SEED]     the same, once each, for three long shapes of attention that SEED draws (default: the clock's)
#   bench/h200.sh fleet [SECONDS]  evaluations a minute of one device and of all (DEVICES), each from an empty cache, and the winners of both
#   bench/h200.sh capture          what bench/captured/program.py launches, in two processes, and one launch as data (15 s; PyTorch)
#   bench/h200.sh agents [KERNELS...]  a campaign with the prepared replies of bench/agents for each kernel of examples/ordinary, on every GPU at once,
#                                      then PyTorch on the same operations: agent_*.jsonl, unanswered/ (requests that had no reply), torch_ordinary.json
#   bench/h200.sh counts [KERNEL...]  what the cpu device counts beside the GPU's counters, predicted beside measured times (docs/profile.md)
#   bench/h200.sh predicted [SEED] [KERNELS]  campaigns that begin with predictions beside some that do not, on shapes that SEED draws (bench/predicted_live.py)
#   bench/h200.sh order SEED [N] [SECONDS] [VARIANTS]  times of N configurations (40) of each of attention's variants, drawn with a shape by SEED, without
#                                      gates; each variant gets up to SECONDS (50) to compile and time them: order.lines, for bench/counts.py recorded
#   bench/h200.sh planted [SEEDS]  kernels with one planted fault each: is it named by the counters, and its line (bench/planted.py)
#   bench/h200.sh profile [SECONDS]  counters: which way works, what attention's variants are limited by, what a profile costs, ncu beside CUPTI (bench/profile_check.py)
# Results are written under $OUT (default: out/).
set -uo pipefail
cd "$(dirname "$0")/.."
OUT=${OUT:-out}
mkdir -p "$OUT"
harness=$PWD/.carry/harness
export HARNESS_HOME=$PWD HARNESS_CACHE=${HARNESS_CACHE:-/tmp/harness-cache}
HARNESS_REVISION=$("$harness" --version | sed 's/.*(\(.*\))/\1/')
export HARNESS_REVISION

# Where this machine cannot cage native code, the pre-flight runs because the operator trusts what is in this folder.
trust=()
"$harness" eval vector_scale "$("$harness" variants vector_scale --json | python3 -c 'import json,sys; print(json.load(sys.stdin)[0]["name"])')" --device cpu --no-record > /dev/null 2> "$OUT/cage.txt" ||
  { cat "$OUT/cage.txt"; trust=(--trust-source); }

smoke() {
  "$harness" devices
  "$harness" devices --json > "$OUT/devices.json"
  local kernel variant
  [ $# -gt 0 ] || set -- vector_scale softmax rmsnorm_int8 paged_gather paged_decode attention
  for kernel in "$@"; do
    for variant in $("$harness" variants "$kernel" --json | python3 -c 'import json,sys; print(*[v["name"] for v in json.load(sys.stdin)])'); do
      "$harness" eval "$kernel" "$variant" "${trust[@]}" --device "${DEVICE:-cuda}" --db "$OUT/smoke.db" --json > "$OUT/smoke.line" 2> "$OUT/smoke.err"
      echo "$kernel $variant: exit $?"; cat "$OUT/smoke.err"
      cat "$OUT/smoke.line" >> "$OUT/smoke.jsonl"
      python3 - "$OUT/smoke.line" <<'PY'
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

# Three at a time: what is timed waits for the device's lease, what is built and judged does not.
hostile() {
  local device=${DEVICE:-cuda} lines=$OUT/hostile
  mkdir -p "$lines"
  export harness device lines PREFLIGHT=${PREFLIGHT---no-preflight}
  python3 -c 'import json, sys
attacks = [(e["kernel"], e["variant"]) for e in json.load(open("tests/hostile/expectations.json")) if sys.argv[1] in e["devices"]]
for kernel, variant in sorted({(kernel, "00_honest") for kernel, _ in attacks}) + attacks: print(kernel, variant)' "${device%%:*}" |
    xargs -P 3 -L 1 bash -c 'timeout 90 "$harness" eval "$1" "$2" '"${trust[*]}"' --kernels tests/hostile --device "$device" $PREFLIGHT \
      --db "$lines/$1.$2.db" --json < /dev/null 2> "$lines/$1.$2.err" | head -1 > "$lines/$1.$2.line"' eval
  cat "$lines"/*.err > "$OUT/hostile.err"
  # The honest ones first: the others are held against their times.
  { cat "$lines"/*.00_honest.line; find "$lines" -name '*.line' ! -name '*.00_honest.line' | sort | xargs cat; } > "$OUT/hostile.${device%%:*}.jsonl"
  python3 - "$OUT/hostile.${device%%:*}.jsonl" <<'PY'
import json, sys
expected = {(e["kernel"], e["variant"]): e for e in json.load(open("tests/hostile/expectations.json"))}
honest = {}
for line in open(sys.argv[1]):
    i = json.loads(line)
    failed = [g["name"] for g in i["gates"] if g["passed"] is False]
    if i["variant"] == "00_honest":
        honest[i["kernel"]], right = i["time_ns"], i["outcome"] == "passed"
    else:
        e = expected[i["kernel"], i["variant"]]
        gain = (honest.get(i["kernel"]) or 0) / (i["time_ns"] or 1)
        right = (e["without_gain"] and gain < 2 if i["outcome"] == "passed" else
                 i["outcome"] in e["outcomes"] and (not failed or any(word in failed[0] for word in e["gates"])))
    print(f"{'' if right else 'UNEXPECTED ':11}{i['kernel']:11} {i['variant']:28} {i['outcome']:13} {','.join(failed):28} {i['time_ns']} {i['cost']['wall_s']:.1f} s {(i['error'] or {}).get('message', '')[:160]}")
PY
}

# A JSON file of what a mode measured: the lines it printed, with what ran where and when.
write_results() {  # NAME LINES...
  python3 - "$OUT/$1.json" "bench/h200.sh $1" "${@:2}" <<'PY'
import datetime, json, os, subprocess, sys
gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout
name, _, driver = gpu.splitlines()[0].partition(", ") if gpu else ("", "", "")
results = [json.loads(line) for file in sys.argv[3:] for line in open(file) if line.startswith("{")]
json.dump({"device": name, "driver": driver, "revision": os.environ.get("HARNESS_REVISION", ""), "date": datetime.date.today().isoformat(),
           "command": sys.argv[2], "results": results}, open(sys.argv[1], "w"), indent=1)
PY
}

trust() {
  local kernel
  for kernel in attention rmsnorm_int8 paged_gather softmax vector_scale; do timeout 120 .carry/trust_bench "$harness" draws cuda:0 "$kernel"; done > "$OUT/trust.lines"
  timeout 120 .carry/trust_bench "$harness" gates cuda:0 3 >> "$OUT/trust.lines"
  timeout "${1:-300}" .carry/trust_bench "$harness" aa cuda:0 "${2:-300}" >> "$OUT/trust.lines"
  write_results trust "$OUT/trust.lines"
}

# Cut off by time: `aa` itself prints its line only when it is through, so a line each twenty comparisons is what is kept.
loaded() {
  local seconds=${1:-90} beside
  : > "$OUT/loaded.lines"
  for beside in nothing bursts; do
    [ "$beside" = nothing ] || python3 bench/gpu_load.py cuda:0 "$((seconds + 5))" "${2:-$(date +%s)}" > "$OUT/load.txt" &
    timeout "$seconds" .carry/trust_bench "$harness" aa cuda:0 100000 2> "$OUT/aa_$beside.txt"
    python3 -c 'import json, re, sys
seen = re.findall(r"^(\d+) of \d+: (.*)$", open(sys.argv[2]).read(), re.M)
count, verdicts = seen[-1] if seen else ("0", "{}")
print(json.dumps({"beside": sys.argv[1], "comparisons": int(count), "verdicts": json.loads(verdicts)}))' "$beside" "$OUT/aa_$beside.txt" | tee -a "$OUT/loaded.lines"
    wait
  done
  cat "$OUT/load.txt"
  write_results loaded "$OUT/loaded.lines"
}

eager() {
  local kernel
  local -A workloads=([attention]="--workload seed_b1h1s128_f16,seed_b1h1s512_f16,seed_b2h8s512_f16")
  : > "$OUT/eager.lines"
  for kernel in attention softmax; do
    "$harness" run "$kernel" "${trust[@]}" --device cuda --budget "${1:-25s}" --db "/tmp/$kernel.db" --quiet ${workloads[$kernel]:-} > "$OUT/eager_$kernel.txt" 2>&1
    rm -rf "/tmp/package_$kernel"
    "$harness" package "$kernel" -o "/tmp/package_$kernel" --db "/tmp/$kernel.db" >> "$OUT/eager_$kernel.txt" 2>&1
    tail -3 "$OUT/eager_$kernel.txt"
    python3 bench/eager_call.py "/tmp/package_$kernel" 2>&1 | tee -a "$OUT/eager.lines"
  done
  write_results eager "$OUT/eager.lines"
}

# One process for each GPU.
soak() {
  local gpu gpus
  gpus=$(nvidia-smi -L | wc -l)
  for ((gpu = 0; gpu < gpus; ++gpu)); do
    HARNESS_CACHE=/tmp/harness-cache-$gpu .carry/trust_bench "$harness" soak "cuda:$gpu" "$((${1:-2000} / gpus))" "/tmp/soak-$gpu.db" "${2:-480}" > "$OUT/soak.$gpu.lines" 2> "$OUT/soak.$gpu.err" &
  done
  wait
  tail -n 3 "$OUT"/soak.*.err
  write_results soak "$OUT"/soak.*.lines
}

# NAME GPU ARGUMENTS...: a campaign in a store of its own, and its text.
alone() {
  local name=$1 gpu=$2; shift 2
  HARNESS_CACHE=/tmp/harness-cache-$gpu "$harness" run attention --device "cuda:$gpu" --usd-per-hour "${USD_PER_HOUR:-3.5}" --db "/tmp/$name.db" --name "$name" --quiet "$@" > "$OUT/$name.txt" 2>&1
  "$harness" export "$OUT/$name.jsonl" --lean --db "/tmp/$name.db"
}

duel() {
  alone roi 0 --strategy roi --workload headline,batch,seeds --budget "${1:-6m}" &
  alone ladder 1 --strategy ladder --workload headline,batch,seeds --budget "${1:-6m}" &
  wait
  tail -n 12 "$OUT/roi.txt" "$OUT/ladder.txt"
}

space() {
  alone space_s128 0 --strategy exhaustive --search exhaustive --workload seed_b1h1s128_f16 --budget "${1:-5m}" &
  alone space_s512 1 --strategy exhaustive --search exhaustive --workload seed_b1h1s512_f16 --budget "${1:-5m}" &
  wait
  tail -n 6 "$OUT"/space_*.txt
}

# Every variant with all the gates of a finalist: seconds each, more for long sequences.
attention() {
  local store=${1:--}; shift || true
  [ $# -gt 0 ] || set -- headline batch seeds long
  .carry/attention_bench "$harness" "${DEVICE:-cuda:0}" "$store" "$@" > "$OUT/attention.lines"
  write_results attention "$OUT/attention.lines"
  print_beside "$OUT/attention.lines"
}

table() {
  local status=0
  .carry/attention_bench "$harness" "${DEVICE:-cuda:0}" @bench/best_known.txt "$@" > "$OUT/table.lines" || status=$?
  write_results table "$OUT/table.lines"
  print_beside "$OUT/table.lines"
  return "$status"
}

print_beside() {
  python3 - "$1" <<'PY'
import json, sys
for line in open(sys.argv[1]):
    i = json.loads(line)
    speed = f"{i['time_us']:10.2f} us (warm {i['warm_us']:.2f}) {i['tflops']:7.1f} TFLOP/s {i['tb_per_s']:6.2f} TB/s" if "time_us" in i else i["outcome"] + " " + i["message"][:90]
    beside = f" {i['of_rival_speed']:.2f} of the rival's speed" if "of_rival_speed" in i and not i["rival"] else ""
    print(f"{i['workload']:34} {i['variant']:18} {speed}{beside}  {' '.join(f'{k}={v}' for k, v in i['config'].items())}")
PY
}

torch() {
  "$harness" kernels --json | python3 bench/torch_attention.py "$@" | tee "$OUT/torch.lines"
  write_results torch "$OUT/torch.lines"
}

gradients() {
  local each variant at_2k=long_b8h16s2048d128_bf16,long_b8h16s2048d128_bf16_causal
  local longer=long_b2h16s8192d128_bf16,long_b2h16s8192d128_bf16_causal
  # 10_tiled has no tensor cores: at 2k, where 40_mma takes 3 ms, its evaluation did not end in a minute.
  for each in "60_wgmma:$at_2k" "40_mma:$at_2k" "45_two_pass:$at_2k" 10_tiled:model_b32h12s512_f16,seed_b1h2s200_f16; do
    variant=${each%%:*}
    timeout 40 "$harness" eval attention_backward "$variant" "${trust[@]}" --device "${DEVICE:-cuda}" --workload "${each##*:}" \
      --db "$OUT/gradients.db" --gates 2>&1 | tee -a "$OUT/gradients.txt" | grep -v held
  done
  "$harness" kernels --json | timeout 40 python3 bench/torch_attention.py --backward ${at_2k//,/ } ${longer//,/ } | tee "$OUT/gradients_torch.lines"
  "$harness" run attention_backward "${trust[@]}" --device "${DEVICE:-cuda}" --budget "${1:-150}s" --db "$OUT/gradients.db" \
    --workload "$at_2k,$longer,long_b2h16s8192d128_bf16_deterministic,model_b2h32kv8s4096d128_bf16_causal" 2>&1 | tee -a "$OUT/gradients.txt"
  "$harness" query --db "$OUT/gradients.db" "SELECT workload, variant, config, outcome, time_ns, floor_ns FROM v_iterations" \
    --json > "$OUT/gradients.json" || true
}

moe() {
  local each variant on parts=" ${PARTS:-gates torch sweep campaign} "
  local timed=olmoe_t1,qwen3_30b_t16,mixtral_8x7b_t1,mixtral_8x7b_t128,deepseek_v3_8_t128,olmoe_t1024,qwen3_30b_t8192,mixtral_8x7b_t8192
  timed=${2:-$timed}
  # The first evaluation on a card also tries the kernel's gates.
  [[ $parts != *" gates "* ]] ||
    timeout 150 "$harness" eval fused_moe 00_naive "${trust[@]}" --device "${DEVICE:-cuda}" --workload t5h64i48e4k2 --db "$OUT/moe.db" 2>&1 | tee "$OUT/moe.txt"
  [[ $parts != *" gates "* ]] || for each in 75_gathered:t150h64i72e4k1_same,olmoe_t1024,qwen3_30b_t8192 70_grouped:t90h80i72e6_products,olmoe_t1024,qwen3_30b_t8192 \
    60_streamed:t40h72i40e8k3_shared,qwen3_30b_t16,olmoe_t1024 50_few:t5h64i48e4k2,olmoe_t1,qwen3_30b_t16 \
    20_mma:t40h72i40e8k3_shared,olmoe_t1024,qwen3_30b_t8192 10_sorted:t33h96i64e40k8_ties,olmoe_t1024; do
    variant=${each%%:*} on=${each##*:}
    timeout 35 "$harness" eval fused_moe "$variant" "${trust[@]}" --device "${DEVICE:-cuda}" --workload "$on" --db "$OUT/moe.db" \
      --gates 2>&1 | tee -a "$OUT/moe.txt" | grep -v held
  done
  # Where the seconds of an evaluation with gigabytes of weights go: a line a workload, its gates by their seconds.
  [[ $parts != *" costs "* ]] || for each in 50_few:olmoe_t1 50_few:mixtral_8x7b_t1 60_streamed:deepseek_v3_8_t128 75_gathered:qwen3_30b_t8192; do
    timeout "${COSTS_S:-40}" "$harness" eval fused_moe "${each%%:*}" "${trust[@]}" --device "${DEVICE:-cuda}" --workload "${each##*:}" --db "$OUT/moe.db" \
      --json 2>> "$OUT/moe_costs.err" | tee -a "$OUT/moe_costs.jsonl" | python3 -c '
import json, sys
for line in sys.stdin:
    i = json.loads(line)
    by_name = {}
    for gate in i["gates"]:
        seconds, count = by_name.get(gate["name"], (0, 0))
        by_name[gate["name"]] = (seconds + (gate.get("seconds") or 0), count + 1)
    longest = sorted(by_name.items(), key=lambda entry: -entry[1][0])[:10]
    print(i["variant"], i["workload"], i["outcome"], i["time_ns"], {k: round(v, 1) for k, v in i["cost"].items() if v},
          *(f"{name} {seconds:.1f} s ({count})" for name, (seconds, count) in longest), sep="; ")'
  done
  [[ $parts != *" torch "* ]] ||
    "$harness" kernels --json | timeout 120 python3 bench/torch_moe.py --seconds 90 ${timed//,/ } | tee "$OUT/moe_torch.lines"
  # Without gates: the time of each workload at a few configurations, where an evaluation draws and judges gigabytes.
  [[ $parts != *" sweep "* ]] || for on in ${timed//,/ }; do
    case $on in
      *_t1 | *_t16) each="50_few,WARPS=8,BLOCKS=2 60_streamed,WARPGROUPS=2,STAGES=6,TOKENS=8 60_streamed,WARPGROUPS=1,STAGES=6,TOKENS=16" ;;
      *_t128) each="60_streamed,WARPGROUPS=2,STAGES=6 60_streamed,WARPGROUPS=2,STAGES=4 75_gathered,WARPGROUPS=1,BLOCK_N=256,STAGES=5,GROUP=4" ;;
      *) each="75_gathered,WARPGROUPS=2,ROWS=1,BLOCK_N=256,STAGES=4 75_gathered,WARPGROUPS=3,ROWS=1,BLOCK_N=128,STAGES=4,GROUP=16 70_grouped,WARPGROUPS=2,ROWS=1,BLOCK_N=256,STAGES=4,GROUP=16" ;;
    esac
    # shellcheck disable=SC2086
    KERNEL=fused_moe sweep "$on" $each 2>&1 | tee -a "$OUT/moe_sweep.txt"
  done
  [[ $parts != *" campaign "* ]] ||
    "$harness" run fused_moe "${trust[@]}" --device "${DEVICE:-cuda}" --budget "${1:-200}s" --db "$OUT/moe.db" --workload "$timed" 2>&1 | tee -a "$OUT/moe.txt"
  "$harness" query --db "$OUT/moe.db" "SELECT workload, variant, config, outcome, time_ns, floor_ns FROM v_iterations" --json > "$OUT/moe.json" || true
  "$harness" export "$OUT/moe.jsonl" --lean --db "$OUT/moe.db" || true
}

# What a kernel that memory bounds is timed on: workloads, the newest variants, then variants with a configuration to compare with.
bandwidth_of() {
  case $1 in
    softmax) echo "m2048n16384_bf16,m64n32768_f16,m512n128256_bf16,m256n131072_f32,m1024n50257_f16 45_streamed,40_cluster 30_registers,ROWS=1 20_online,VEC=8" ;;
    paged_decode) echo "serve_b32h32kv8l4096d128p16_bf16,few_b4h32kv8l8192d128p16_bf16,one_b1h8l16384d128p32_f16 50_equal_shares 40_streamed,RING=2,ROWS=8,WARPS=8" ;;
    rmsnorm_int8) echo "decode_bf16,prefill_bf16 30_ahead 20_registers,THREADS=512,ROWS=1" ;;
    paged_gather) echo "b64l2048n128_bf16,b64l2048n1024_f16 40_at_once 20_spread,VEC=8,COPIES=2 30_bulk,WARPS=4" ;;
  esac
}

bandwidth() {
  local kernel variant workloads newest others on parts=" ${PARTS:-gates sweep campaign} " seconds=${1:-60} kernels=${2:-softmax,paged_decode,rmsnorm_int8,paged_gather}
  for kernel in ${kernels//,/ }; do
    read -r workloads newest others <<< "$(bandwidth_of "$kernel")"
    # The first evaluation on a card also tries the gates of a kernel whose contract is new there.
    [[ $parts != *" gates "* || $kernel != softmax ]] ||
      timeout 120 "$harness" eval softmax 00_naive "${trust[@]}" --device "${DEVICE:-cuda}" --workload m33n257_f32 --db "$OUT/bandwidth.db" 2>&1 | tail -5
    [[ $parts != *" gates "* ]] || for variant in ${newest//,/ }; do
      timeout 60 "$harness" eval "$kernel" "$variant" "${trust[@]}" --device "${DEVICE:-cuda}" --workload "$workloads" --db "$OUT/bandwidth.db" \
        --gates 2>&1 | tee -a "$OUT/bandwidth.txt" | grep -v " ok  "
    done
    # shellcheck disable=SC2086
    [[ $parts != *" sweep "* ]] || for on in ${workloads//,/ }; do
      KERNEL=$kernel DRAW=${DRAW:-8} sweep "$on" ${newest//,/ } $others 2>&1 | tee -a "$OUT/bandwidth_sweep.txt"
    done
    [[ $parts != *" campaign "* ]] ||
      "$harness" run "$kernel" "${trust[@]}" --device "${DEVICE:-cuda}" --budget "${seconds}s" --db "$OUT/bandwidth.db" --workload "$workloads" 2>&1 |
      tee -a "$OUT/bandwidth.txt"
  done
  "$harness" query --db "$OUT/bandwidth.db" "SELECT kernel, workload, variant, config, outcome, time_ns, floor_ns FROM v_iterations" \
    --json > "$OUT/bandwidth.json" || true
}

products() {
  local on parts=" ${PARTS:-large fp8 backward narrow} " wide=WARPGROUPS=2,ROWS=1,BLOCK_N=256,STAGES=4,GROUP=8
  local tall=WARPGROUPS=2,ROWS=2,BLOCK_N=128,STAGES=4,GROUP=8 square=WARPGROUPS=3,ROWS=1,BLOCK_N=192,STAGES=3,GROUP=8
  # 2.4 waves of 128 x 256, 4.8, 3.9, 7.8; the first and the last with a residual.
  [[ $parts != *" large "* ]] || for on in qwen2_5_32b_o_m2048 llama3_1_70b_qkv_m2048 cube4096 llama3_1_8b_o_m8192; do
    KERNEL=gemm sweep "$on" "70_specialized,$wide,CLUSTER=1" "72_overlapped,$wide,PARTS=2,CLUSTER=1" "72_overlapped,$wide,PARTS=2,CLUSTER=2" \
      "72_overlapped,$tall,PARTS=2,CLUSTER=1" "72_overlapped,$square,PARTS=3,CLUSTER=1" "74_shared_wave,$wide,PARTS=2,MOST=3" \
      "74_shared_wave,$wide,PARTS=2,MOST=2" 90_cublas,ALGORITHM=0 90_cublas,ALGORITHM=1
  done
  [[ $parts != *" fp8 "* ]] || for on in cube4096 v3_o_m4096; do
    KERNEL=gemm_fp8 sweep "$on" 70_specialized,WARPGROUPS=2,STAGES=6,CLUSTER=1,GROUP=8 70_specialized,WARPGROUPS=3,STAGES=5,CLUSTER=1,GROUP=8 \
      75_wide,STAGES=4,GROUP=8
  done
  [[ $parts != *" backward "* ]] || for on in long_b8h16s2048d128_bf16 long_b8h16s2048d128_bf16_causal; do
    KERNEL=attention_backward sweep "$on" 40_mma,BLOCKS=1,BLOCK_M=32,WARPS=4 60_wgmma,STAGES=2
  done
  [[ $parts != *" narrow "* ]] || for on in llama3_1_8b_o_m64 llama3_1_8b_qkv_m16 llama3_1_8b_qkv_m1 qwen2_5_0_5b_o_m1; do
    DRAW=6 KERNEL=gemm sweep "$on" 60_narrow,SHARE=1,STAGES=8 65_shared_line,STAGES=8 65_shared_line,MOST=4 55_rows 90_cublas,ALGORITHM=0
  done
}

# With DRAW: so many configurations of each variant, drawn at random.
sweep() {
  # shellcheck disable=SC2086
  timeout "${SWEEP_S:-120}" .carry/sweep_bench ${DRAW:+--draw $DRAW 1} "$harness" "${DEVICE:-cuda:0}" "${KERNEL:-attention}" "$@" >> "$OUT/sweep.lines"
  python3 - "$OUT/sweep.lines" "$1" <<'PY'
import json, sys
rows = [row for row in map(json.loads, open(sys.argv[1])) if row["workload"] == sys.argv[2]]
rows.sort(key=lambda row: row.get("time_us", 1e9))
for row in rows[:20] + [row for row in rows[20:] if "failure" in row or row.get("off", 0) > 1e-2]:
    what = f"{row['time_us']:10.2f} us (warm {row['warm_us']:.2f}) {row['tflops']:7.1f} TFLOP/s {row['tb_per_s']:6.2f} TB/s" if "time_us" in row else row.get("failure", "not timed")[:160]
    print(sys.argv[2], row["variant"], what, f"off {row.get('off', -1):.1e}", row.get("judged", ""), *(f"{k}={v}" for k, v in row["config"].items()), *row.get("notes", []))
PY
}

gates() {
  local test failed=0
  export HARNESS_PROGRAM=$harness LD_LIBRARY_PATH=$PWD/.carry/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  for test in test_device_cuda test_worker; do
    time ".carry/$test" "[gpu]" || failed=1
  done 2>&1 | tee "$OUT/gates.txt"
  return "$((failed || PIPESTATUS[0]))"
}

# Random search over all configurations, from an empty store; the clock starts before the program does.
rate() {
  local turn kernel=${1:-attention} variants=${2:-10_fa1,00_naive} workload=${3:-seed_b1h1s512_f16}
  export HARNESS_CACHE=$(mktemp -d)
  for turn in ${TURNS:-cold warm}; do
    local began; began=$(date +%s.%N)
    "$harness" run "$kernel" "${trust[@]}" --variant "$variants" --workload "$workload" --device "${DEVICE:-cuda}" --strategy "${STRATEGY:-exhaustive}" \
      --search "${SEARCH:-random}" --budget "${BUDGET:-80s}" --db "$OUT/rate_$turn.db" > "$OUT/rate_$turn.txt" 2>&1
    python3 - "$OUT/rate_$turn.db" "$began" "$turn" <<'PY'
import json, sqlite3, sys
store, began, turn = sqlite3.connect(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
begun = [at - began for at, in store.execute("SELECT begun_unix FROM attempt WHERE purpose = 'search' ORDER BY id")]
first, = store.execute("SELECT MIN(begun_unix) FROM attempt").fetchone()
print(json.dumps({"what": turn, "s_to_the_first_evaluation": first - began, "s_to_the_first_search_evaluation": begun[0],
                  "s_to_the_last_search_evaluation": begun[-1], "search_evaluations": len(begun),
                  "a_minute_from_the_command": 60 * len(begun) / begun[-1]}))
PY
  done | tee "$OUT/rate.lines"
  write_results rate "$OUT/rate.lines"
}

beside_kernel_tuner() {
  rate > "$OUT/beside.txt"
  python3 bench/kernel_tuner.py "$1" 2>> "$OUT/beside.txt" | tee -a "$OUT/beside.txt" | grep '^{' > "$OUT/tuner.lines"
  cat "$OUT/rate.lines" "$OUT/tuner.lines" > "$OUT/beside.lines"
  for turn in cold warm; do
    "$harness" best --db "$OUT/rate_$turn.db" --json | python3 -c 'import json, sys
print(json.dumps({"best_of": sys.argv[1], "best": [{k: b.get(k) for k in ("variant", "config", "time_ns", "confirmed")} for b in json.load(sys.stdin)]}))' "$turn"
  done >> "$OUT/beside.lines"
  write_results beside_kernel_tuner "$OUT/beside.lines"
  python3 - "$OUT/beside.lines" <<'PY'
import json, sys
rows = [json.loads(line) for line in open(sys.argv[1])]
print(f"{'what':40} {'evaluations':>11} {'s':>7} {'a minute':>9} {'first after s':>14}")
for row in rows:
    if "what" in row:
        name = {"cold": "harness, nothing compiled, all gates", "warm": "harness, compiled before, all gates"}.get(row["what"], row["what"])
        first = row.get("s_to_the_first_search_evaluation")
        print(f"{name:40} {row['search_evaluations']:11} {row['s_to_the_last_search_evaluation']:7.1f} {row['a_minute_from_the_command']:9.0f} "
              f"{'' if first is None else format(first, '.1f'):>14}")
PY
}

# Shapes that nobody tuned for: 4,096 to 10,000 keys, in any number of heads that memory and a minute allow.
fresh() {
  local seed=${1:-$(date +%s)} all=$OUT/fresh.lines out=$OUT shape
  : > "$all"
  python3 - "$seed" <<'PY' > "$OUT/fresh.shapes"
import random, sys
draw = random.Random(int(sys.argv[1]))
for _ in range(3):
    S = draw.randint(4096, 10000)
    heads = draw.randint(8, 40)
    B = max(1, min(draw.randint(1, 4), int(2 ** 31.5 / (heads * S * S))))
    print(f"B={B} Hq={heads} Hkv={heads} Sq={S} Sk={S} D={draw.choice([64, 80, 128])} dtype={draw.choice(['f16', 'bf16'])} "
          f"causal={draw.choice(['true', 'false'])} lse=false")
PY
  while read -r shape; do
    OUT=$out/shape TURNS=cold BUDGET=${BUDGET:-45s}
    mkdir -p "$OUT"
    rate attention 60_wgmma,70_warp_specialized,75_persistent "$shape" < /dev/null > /dev/null
    python3 -c 'import json, sys
for line in open(sys.argv[1]): print(json.dumps({**json.loads(line), "seed": int(sys.argv[2]), "shape": sys.argv[3]}))' "$OUT/rate.lines" "$seed" "$shape" >> "$all"
    cp "$OUT/rate_cold.txt" "$out/fresh_$(wc -l < "$all").txt"; rm -rf "$OUT"
  done < "$out/fresh.shapes"
  OUT=$out
  cat "$all"
  write_results fresh "$all"
}

# Rates are counted from the first evaluation that a search asked for to the last: not the trial of gates, nor confirmation.
fleet() {
  local seconds=${1:-40} devices one=${DEVICE:-cuda:0} all=${DEVICES:-cuda:*} kernel=${KERNEL:-attention} workloads=${WORKLOADS:-seeds}
  for devices in "$one" "$all"; do
    local db=$OUT/fleet.db
    [ "$devices" = "$one" ] && db=$OUT/one.db
    local where=(--device "$devices")
    [ -f "$devices" ] && where=(--fleet "$devices")   # a fleet file, where there are no GPUs
    rm -f "$db"
    # A stop ends what is under way, records it and confirms nothing more: both campaigns end within SECONDS and 30 each.
    HARNESS_CACHE=$(mktemp -d) timeout -s TERM -k 10 "$((seconds + 15))" "$harness" run "$kernel" "${where[@]}" "${trust[@]}" --workload "$workloads" --budget "${seconds}s" --db "$db" > "$OUT/$(basename "$db" .db).txt" 2>&1 || true
    tail -5 "$OUT/$(basename "$db" .db).txt"
  done
  python3 - "$OUT/one.db" "$OUT/fleet.db" <<'PY' | tee "$OUT/fleet.lines"
import json, sqlite3, sys
rates, winners = [], []
for path in sys.argv[1:]:
    store = sqlite3.connect(path)
    rows = store.execute("""SELECT a.begun_unix, i.ended_unix, coalesce(a.node, '') FROM iteration i JOIN attempt a ON a.id = i.attempt
                            WHERE i.purpose = 'search' ORDER BY i.id""").fetchall()
    seconds = max(r[1] for r in rows) - min(r[0] for r in rows) if rows else 0
    by_node = {}
    for row in rows: by_node[row[2]] = by_node.get(row[2], 0) + 1
    rates.append(60 * len(rows) / seconds if seconds else None)  # none: its budget went into the trial of gates
    best = {r[0]: r[1:] for r in store.execute("""SELECT workload, variant, config, speedup, speedup_lo, speedup_hi, confirmed FROM v_best""")}
    winners.append(best)
    print(json.dumps({"store": path.rsplit("/", 1)[-1], "evaluations": len(rows), "seconds": round(seconds, 2), "a_minute": rates[-1] and round(rates[-1], 1),
                      "by_node": by_node, "winners": best}))
same = {w: winners[0][w][4] is not None and winners[1][w][3] is not None and winners[0][w][4] >= winners[1][w][3] and winners[1][w][4] >= winners[0][w][3]
        for w in winners[0] if w in winners[1] and winners[0][w][3] and winners[1][w][3]}
print(json.dumps({"ratio": round(rates[1] / rates[0], 3) if all(rates) else None, "winners_within_their_intervals": same}))
PY
  write_results fleet "$OUT/fleet.lines"
}

# The folder that comes back can be adopted where libclang is: harness adopt --from-capture FOLDER bench/captured/scale_rows.cu
capture() {
  "$harness" capture -o "$OUT/capture" --launch scale_rows --skip 2 -- python3 bench/captured/program.py parent 2>&1 | tee "$OUT/capture.txt"
  "$harness" capture -o "$OUT/capture_once" --json -- python3 bench/captured/program.py > "$OUT/capture.json"
  ls -l "$OUT/capture/launch"
  time python3 bench/captured/program.py
}

# KERNEL WORKLOAD GPU SECONDS: its campaign from an empty store, with whoever answers from bench/agents/replies.
propose() {
  local kernel=$1 workload=$2 gpu=$3 seconds=$4
  "$harness" run "$kernel" "${trust[@]}" --kernels bench/agents/kernels --workload "$workload" --device "${DEVICE:-cuda:$gpu}" \
    --budget "${BUDGET:-${seconds}s}" --usd-per-hour "${USD_PER_HOUR:-3.5}" --db "/tmp/agent_$kernel.db" --name "$kernel, variants proposed" \
    --proposer "command:python3 bench/prepared_replies.py bench/agents/replies" --proposer-env UNANSWERED \
    > "$OUT/agent_$kernel.txt" 2> "$OUT/agent_$kernel.err"
  echo "$kernel: exit $?" >> "$OUT/agents.status"
  "$harness" export "$OUT/agent_$kernel.jsonl" --lean --db "/tmp/agent_$kernel.db" 2>> "$OUT/agent_$kernel.err"
}

agents() {
  local gpus gpu lines=bench/agents/workloads.txt
  gpus=$(nvidia-smi -L 2> /dev/null | wc -l)
  [ "$gpus" -gt 0 ] || gpus=1
  : > "$OUT/agents.status"
  UNANSWERED=$(realpath "$OUT")/unanswered
  export UNANSWERED
  for ((gpu = 0; gpu < gpus; ++gpu)); do
    awk -v gpu="$gpu" -v gpus="$gpus" -v wanted=" $* " '$0 !~ /^#/ && (wanted == "  " || index(wanted, " " $1 " ")) && n++ % gpus == gpu' "$lines" |
      while read -r kernel workload cpu seconds; do
        [ "${DEVICE:-}" != cpu ] || workload=$cpu
        propose "$kernel" "$workload" "$gpu" "$seconds" < /dev/null
      done &
  done
  wait
  cat "$OUT/agents.status"
  if python3 -c 'import torch' 2> /dev/null; then
    timeout 200 python3 bench/torch_ordinary.py "$@" > "$OUT/torch.lines" 2> "$OUT/torch.err"
    write_results torch_ordinary "$OUT/torch.lines"
  fi
  python3 bench/agents_table.py "$OUT"
}

# One process at a time reads the GPU's counters; the cpu counts meanwhile.
counts() {
  python3 bench/counts.py gpu "$harness" "$@" "${trust[@]}" --device "${DEVICE:-cuda:0}" --out "$OUT/counts.lines" | tee "$OUT/counts.txt"
  write_results counts "$OUT/counts.lines"
}

predicted() {
  python3 bench/predicted_live.py "$harness" --seed "${1:-$(date +%s)}" --shapes "${2:-attention,softmax,attention}" --device "${DEVICE:-cuda:0}" \
    --seconds "${SECONDS_EACH:-40}" --out "$OUT/predicted.lines" -- "${trust[@]}" | tee "$OUT/predicted.txt"
  write_results predicted "$OUT/predicted.lines"
}

planted() {
  bench/planted.py "$harness" --seeds "${1:-$(date +%s)}" --device "${DEVICE:-cuda}" --out "$OUT/planted.lines" -- "${trust[@]}" | tee "$OUT/planted.txt"
  write_results planted "$OUT/planted.lines"
}

# A shape that nobody chose, small enough to be counted on a processor, and configurations of every variant that has some.
order() {
  local seed=$1 each=${2:-40} seconds=${3:-50} variant shape
  shape=$(python3 - "$seed" <<'PY'
import random, sys
draw = random.Random("order " + sys.argv[1])
heads, S = draw.choice([1, 2, 4, 8, 12]), draw.randint(64, 512)
print(f"B={draw.randint(1, 6)} Hq={heads} Hkv={heads} Sq={S} Sk={S} D={draw.choice([64, 64, 128])} dtype={draw.choice(['f16', 'bf16'])} "
      f"causal={draw.choice(['true', 'false', 'false'])} lse=false")
PY
)
  echo "$shape" | tee "$OUT/order.txt"
  : > "$OUT/order.lines"
  # The cpu device has no second launch that begins under the first (PDL).
  for variant in ${4:-10_fa1 20_split_kv,PDL=0 30_wmma 40_mma 45_mma_split,PDL=0 46_decode 50_tiny 60_wgmma 70_warp_specialized 75_persistent}; do
    timeout -k 5 "$seconds" .carry/sweep_bench --draw "$each" "$seed" "$harness" "${DEVICE:-cuda:0}" attention "$shape" "$variant" \
      >> "$OUT/order.lines" 2>> "$OUT/order.txt"
    echo "$variant: $(grep -c "\"${variant%%,*}\"" "$OUT/order.lines") configurations after at most $seconds s" | tee -a "$OUT/order.txt"
  done
}

profile() {
  bench/profile_check.py "$harness" "$OUT" "${1:-38}" "${DEVICE:-cuda}"
}

campaign() {
  "$harness" run attention --device cuda --workload seeds,headline,batch --budget "${BUDGET:-5m10s}" --usd-per-hour "${USD_PER_HOUR:-3.5}" --db "$OUT/campaign.db" --name "attention on H200" "$@"
  "$harness" export "$OUT/experiments.jsonl" --lean --db "$OUT/campaign.db"
  bench/numbers.sh "$OUT/campaign.db" "$harness" | tee "$OUT/numbers.txt"
  "$harness" cost --by stage --db "$OUT/campaign.db"
}

"$@"
