#!/usr/bin/env python3
# Honest sums that the judge must not refuse: a plain product of matrices, with nothing declared of operations or
# accuracy, evaluated at shapes with few outputs and much input (docs/gates.md).
#   bench/honest_products.py HARNESS [--count N] [--seed S] [--device cpu]
# Each evaluation has all gates, at other points of the domain too, and draws inputs of its own. Prints the refused ones
# with the gate's words, and how many there were. Exit status 1 if there were any.
import argparse, pathlib, random, subprocess, sys, tempfile

KERNEL = """return kernel {
  contract = 1, name = "plain_product", summary = "C = A B",
  domain = {
    M = range(1, 65536), N = range(1, 65536), K = range(1, 65536),
    where = function(w) return le(w.M * w.K + w.K * w.N + w.M * w.N, 16777216) end,
  },
  workloads = { { name = "first", M = 64, N = 64, K = 64 } },
  arguments = {
    input  { "A", dtype = "f32", shape = { "M", "K" }, gen = normal {} },
    input  { "B", dtype = "f32", shape = { "K", "N" }, gen = normal {} },
    output { "C", dtype = "f32", shape = { "M", "N" }, compare = relative {} },
  },
  reference = { source = "reference.cu", entry = "reference", sizes = { "M", "N", "K" }, threads = function(w) return w.M * w.N end },
  work = function(w) return { bytes = 4 * (w.M * w.K + w.K * w.N + w.M * w.N) } end,
}
"""
REFERENCE = """__global__ void reference(const float* A, const float* B, double* C, long long M, long long N, long long K) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= M * N) return;
  double sum = 0;
  for (long long k = 0; k < K; ++k) sum += static_cast<double>(A[i / N * K + k]) * B[k * N + i % N];
  C[i] = sum;
}
"""
VARIANT = """return variant {
  technique = "naive",
  steps = function(p, w, device)
    return { launch { entry = "product", grid = { cdiv(w.N, 16), cdiv(w.M, 16) }, block = { 16, 16 },
                      args = { "A", "B", "C", i32(w.M), i32(w.N), i32(w.K) } } }
  end,
}
"""
SOURCE = """__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  const int column = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  if (row >= M || column >= N) return;
  float sum = 0;
  for (int k = 0; k < K; ++k) sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("harness")
    parser.add_argument("--count", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    draw, refused = random.Random(options.seed), 0
    with tempfile.TemporaryDirectory() as folder:
        kernel = pathlib.Path(folder) / "plain_product"
        (kernel / "variants").mkdir(parents=True)
        (kernel / "kernel.lua").write_text(KERNEL)
        (kernel / "reference.cu").write_text(REFERENCE)
        (kernel / "variants" / "00_naive.lua").write_text(VARIANT)
        (kernel / "variants" / "00_naive.cu").write_text(SOURCE)
        for _ in range(options.count):
            shape = f"M={draw.randint(1, 4)} N={draw.randint(1, 3)} K={draw.randint(10, 30000)}"
            command = [options.harness, "eval", "plain_product", "00_naive", "--device", options.device, "--workload", shape,
                       "--kernels", folder, "--no-record"] + (["--emulated"] if options.device.startswith("cpu") else [])
            ran = subprocess.run(command, capture_output=True, text=True)
            if ran.returncode == 0: continue
            refused += 1
            failed = [line for line in (ran.stdout + ran.stderr).splitlines() if "FAILED" in line]
            print(shape, *(failed or (ran.stdout + ran.stderr).splitlines()[-1:]), sep="\n  ")
    print(f"{refused} of {options.count} honest evaluations were refused (seed {options.seed})")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
