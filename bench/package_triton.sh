#!/usr/bin/env bash
# A winner in Triton as a package, on a GPU with Triton and PyTorch, with the program that bench/carry.sh packed:
#   bench/package_triton.sh [BUDGET]   a campaign with the Triton variant of softmax alone (default: 70s), its package,
#                                      `harness verify` of it, and the operator beside torch.softmax at three sizes
# What it prints is also in $OUT/package_triton.txt (default of OUT: out/).
set -uo pipefail
cd "$(dirname "$0")/.."
OUT=${OUT:-out}
mkdir -p "$OUT"
harness=$PWD/.carry/harness
export HARNESS_HOME=$PWD HARNESS_CACHE=${HARNESS_CACHE:-/tmp/harness-cache}
folder=$(mktemp -d)/softmax_triton

{
  "$harness" run softmax --variant 50_triton --workload m4096n1024_f32 --device "${DEVICE:-cuda}" --budget "${1:-70s}" --trust-source \
    --db "$OUT/package_triton.db"
  echo "run: status $?"
  "$harness" package softmax -o "$folder" --workload m4096n1024_f32 --db "$OUT/package_triton.db"
  echo "package: status $?"
  timeout 60 "$harness" verify "$folder" --device "${DEVICE:-cuda}" --trust-source
  echo "verify: status $?"
  SOFTMAX_LOG=1 PYTHONPATH="$folder/python" python3 - <<'PY'
import torch
import softmax

# The measured size, one that is divisible by 16 too, and one that is not: only the first is the winner's.
for rows, columns in ((4096, 1024), (4096, 512), (77, 333)):
    x = torch.randn(rows, columns, device="cuda", dtype=torch.float32)
    y = softmax.run(x)
    y = y[0] if isinstance(y, tuple) else y
    right = torch.allclose(y, torch.softmax(x, dim=-1), atol=1e-6, rtol=1e-5)
    print(rows, columns, "right" if right else "WRONG", softmax.choice(x))
graph, x = torch.cuda.CUDAGraph(), torch.randn(4096, 1024, device="cuda")
softmax.run(x)
with torch.cuda.graph(graph):
    y = softmax.run(x)
x.copy_(torch.randn(4096, 1024, device="cuda"))
graph.replay()
torch.cuda.synchronize()
y = y[0] if isinstance(y, tuple) else y
print("in a graph:", "right" if torch.allclose(y, torch.softmax(x, dim=-1), atol=1e-6, rtol=1e-5) else "WRONG", softmax.path())
PY
  echo "python: status $?"
} 2>&1 | tee "$OUT/package_triton.txt"
rm -rf "$(dirname "$folder")"
