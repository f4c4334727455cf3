#!/usr/bin/env python3
"""What `bench/h200.sh capture` watches: a little PyTorch, with one kernel of its own among the libraries'.

With the argument "parent" it does the same in a child process first.
"""
import pathlib
import subprocess
import sys

import torch

if sys.argv[1:] == ["parent"]:
    subprocess.run([sys.executable, __file__], check=True)
text = (pathlib.Path(__file__).parent / "scale_rows.cu").read_text()
scale_rows = torch.cuda._compile_kernel(text, "scale_rows")
rows, cols = 96, 384
x, w = torch.randn(rows, cols, device="cuda"), torch.randn(cols, device="cuda")
y = torch.empty_like(x)
a = torch.randn(2048, 2048, device="cuda", dtype=torch.float16)
for _ in range(20):
    scale_rows((rows, 1, 1), (128, 1, 1), (x, w, y, rows, cols))
    a = torch.softmax(a @ a, dim=-1)
    torch.nn.functional.layer_norm(y, (cols,))
torch.cuda.synchronize()
assert torch.allclose(y, x * w)
