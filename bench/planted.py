#!/usr/bin/env python3
# Small kernels with one planted fault each, other numbers for every seed: does `harness profile --device cpu` name the fault
# and its line? Prints a Markdown table of hits and misses. A fault is named where the diagnosis is the rule that stands for
# it; its line is named where it is the first of the lines with a cost, or of the barriers the first.
# --device cuda: the fault by the GPU's counters, its line by what the cpu device counts beside them.
#   bench/planted.py HARNESS [--seeds 1,2,3] [--device cpu] [--out FILE] [--keep FOLDER] [-- OPTIONS OF profile]
import argparse, collections, json, pathlib, random, subprocess, sys, tempfile

KERNEL = """return kernel {
  contract = 1, name = "planted", summary = "one fault each",
  domain = { N = range(1, 2^26) },
  workloads = { { name = "w", N = %d, sets = { "default" } } },
  arguments = {
    input  { "x", dtype = "f32", shape = { "N" }, align = 256, gen = normal {} },
    output { "y", dtype = "f32", shape = { "N" }, align = 256, compare = exact {} },
  },
  reference = { source = "reference.cu", entry = "reference", sizes = { "N" }, threads = function(w) return w.N end },
  work = function(w) return { bytes = %d, flops = {}, exps = 0 } end,
}
"""
REFERENCE = 'extern "C" __global__ void reference(const double* x, double* y, long long n) {}\n'
VARIANT = """return variant {
  technique = "planted", risk = "low", estimate = { speedup = { 1, 1 }, probability = 1.0, evaluations = 1 }, params = {},
  steps = function(p, w, device)
    return { launch { entry = "planted", grid = { %d }, block = { %d }, shared = 0, args = { "x", "y", i32(w.N) } } }
  end,
}
"""
FAULT = "// fault"


def kernel(body, shared="", bounds=""):
    return [f'extern "C" __global__ void {bounds}planted(const float* x, float* y, int n) {{', *shared,
            "  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;", *body, "}"]


# Each fault: (rule that stands for it, lines, blocks, threads). A line that ends in FAULT is the one at fault.
def uncoalesced_load(r):
    threads, stride = r.choice([128, 256]), r.randrange(9, 61, 2)
    return "uncoalesced", kernel(["  if (i >= n) return;", "  float v = x[i];",
                                  f"  v += x[(int)(({stride}ll * i) % n)];  {FAULT}", "  y[i] = v;"]), 4096, threads


def uncoalesced_store(r):
    threads, stride = r.choice([128, 256]), r.randrange(9, 61, 2)
    return "uncoalesced", kernel(["  if (i >= n) return;", "  const float v = x[i] * 2;",
                                  f"  y[(int)(({stride}ll * i) % n)] = v;  {FAULT}"]), 4096, threads


def array_of_structures(r):
    size = r.choice([6, 8, 12])
    return "uncoalesced", kernel([f"  if (i >= n / {size}) return;", "  float v = x[i];",
                                  f"  v += x[{size} * i + {r.randrange(size)}];  {FAULT}", "  y[i] = v;"]), 8192, r.choice([128, 256])


def bank_conflict(r):
    rows, reads, stride = 32, r.randrange(12, 33), r.choice([16, 32])
    return "bank-conflicts", kernel([f"  for (int k = t; k < 1024; k += blockDim.x) tile[k] = x[(blockIdx.x * 1024 + k) % n];",
                                     "  __syncthreads();", "  float v = 0;", f"  for (int k = 0; k < {reads}; ++k)",
                                     f"    v += tile[(t * {stride} + k) & 1023];  {FAULT}", "  y[i % n] = v;"],
                                    ["  __shared__ float tile[1024];"]), 1024, r.choice([128, 256])


def divergent_branch(r):
    every, turns = r.choice([8, 16]), r.randrange(24, 49)
    return "divergence", kernel(["  if (i >= n) return;", "  float v = 0;", f"  if (t % {every} == {r.randrange(every)})",
                                 f"    for (int k = 0; k < {turns}; ++k)", f"      v += x[(blockIdx.x * 4096 + t / {every} + 32 * k) % n];  {FAULT}", "  y[i] = v;"]), 2048, 256


def ragged_loop(r):
    most = r.choice([2, 3, 4])
    return "divergence", kernel(["  if (i >= n) return;", "  float v = 0;", f"  for (int k = 0; k < 1 + (t & 31) / 16 * {16 * most} + (t & 31) / 28 * 64; ++k)",
                                 f"    v += x[(i + 32 * k) % n];  {FAULT}", "  y[i] = v;"]), 2048, 256


def contended_atomic(r):
    return "contended-atomics", kernel(["  if (i >= n) return;", "  const float v = x[i];",
                                        f"  atomicAdd(&y[blockIdx.x % {r.randrange(2, 9)}], v);  {FAULT}"]), r.randrange(256, 512), 256


def lonely_warp(r):
    turns = r.randrange(48, 97)
    return "barrier-waits", kernel(["  float v = 0;", "  if (t < 32)", f"    for (int k = 0; k < {turns}; ++k) v += x[(blockIdx.x * 4096 + 32 * k + t) % n];",
                                    "  part[t] = v;", f"  __syncthreads();  {FAULT}", "  y[i % n] = part[t & 31];"],
                                   ["  __shared__ float part[256];"]), 2048, 256


def tail(r):
    return "tail", kernel(["  float v = 0;", "  for (int k = 0; k < 16; ++k) v += x[(i + 1024 * k) % n];", "  y[i % n] = v;"]), 264 + r.randrange(3, 30), 1024


def few_blocks(r):
    return "few-blocks", kernel(["  float v = 0;", "  for (int k = 0; k < 64; ++k) v += x[(i + 8192 * k) % n];", "  y[i % n] = v;"]), r.randrange(8, 33), 256


def spill(r):
    held = r.randrange(56, 81)
    return "spills", kernel([f"  float a[{held}];", "#pragma unroll", f"  for (int k = 0; k < {held}; ++k) a[k] = x[(i + 1024 * k) % n];",
                             "  __syncthreads();", "  float v = 0;", "#pragma unroll", f"  for (int k = 0; k < {held}; ++k) v = v * a[k] + a[{held - 1} - k];",
                             "  y[i % n] = v;"], bounds="__launch_bounds__(1024, 2) "), 1024, 1024


FAULTS = [uncoalesced_load, uncoalesced_store, array_of_structures, bank_conflict, divergent_branch, ragged_loop, contended_atomic,
          lonely_warp, tail, few_blocks, spill]


def planted(fault, seed, folder):
    """Writes the kernel; gives the rule and the number of the line at fault (None: no line is)."""
    r = random.Random(f"{seed} {fault.__name__}")
    rule, lines, blocks, threads = fault(r)
    lines = [f"// {r.random()}" for _ in range(r.randrange(0, 9))] + lines
    line = next((number for number, text in enumerate(lines, 1) if text.endswith(FAULT)), None)
    variants = folder / "planted" / "variants"
    variants.mkdir(parents=True)
    (folder / "planted" / "kernel.lua").write_text(KERNEL % (2**22 + r.randrange(1, 4096), 4 * blocks * threads))  # no thread reads or writes less
    (folder / "planted" / "reference.cu").write_text(REFERENCE)
    (variants / "00_planted.cu").write_text("\n".join(text.removesuffix(FAULT).rstrip() for text in lines) + "\n")
    (variants / "00_planted.lua").write_text(VARIANT % (blocks, threads))
    return rule, line


def profiled(options, folder):
    command = [options.harness, "profile", "planted", "00_planted", "--device", options.device, "--alone", "--json", "--kernels", str(folder)]
    if options.device == "cpu": command += ["--for", "H200"]
    ran = subprocess.run(command + options.more, capture_output=True, text=True)
    if ran.returncode != 0: sys.exit(f"planted.py: {ran.stderr.strip()}")
    return json.loads(ran.stdout.splitlines()[0])


def named_line(found, rule):
    lines = [line for launch in found["launches"] for line in launch["lines"]]
    if rule == "barrier-waits": lines = [line for line in lines if "barriers" in dict(line["numbers"])]
    return lines[0]["line"] if lines else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("harness")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--out", default="", help="a file for the profiles, a line of JSON each")
    parser.add_argument("--keep", default="", help="a folder for what was written")
    words = sys.argv[1:] + ["--"]
    options = parser.parse_args(words[:words.index("--")])
    options.more = words[words.index("--") + 1:-1]   # further options of the program
    seeds = options.seeds.split(",")
    print("| fault | fault named | line named | said instead |\n|---|--:|--:|---|")
    all_hits = collections.Counter()
    for fault in FAULTS:
        faults = lines = with_line = 0
        other = collections.Counter()
        for seed in seeds:
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(options.keep or name) / f"{fault.__name__}_{seed}"
                rule, line = planted(fault, seed, folder)
                found = profiled(options, folder)
                if options.out:
                    with open(options.out, "a", encoding="utf-8") as out: out.write(json.dumps({"fault": fault.__name__, "seed": seed, **found}) + "\n")
                said = (found.get("diagnosis") or {}).get("rule", "nothing")
                faults += said == rule
                if said != rule: other[said] += 1
                if line is not None:
                    with_line += 1
                    named = named_line(found, rule)
                    lines += named == line
                    if named != line: other[f"line {named} for {line}"] += 1
        all_hits.update(faults=faults, lines=lines, of=len(seeds), of_lines=with_line)
        words = ", ".join(f"{what} ({count})" for what, count in other.items())
        print(f"| {fault.__name__.replace('_', ' ')} | {faults} of {len(seeds)} | {f'{lines} of {with_line}' if with_line else '-'} | {words} |", flush=True)
    print(f"| all | {all_hits['faults']} of {all_hits['of']} | {all_hits['lines']} of {all_hits['of_lines']} | |")


main()
