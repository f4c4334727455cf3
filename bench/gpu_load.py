#!/usr/bin/env python3
"""Loads a GPU in bursts of 0.2 to 2 s with pauses as long, as a stranger's client might while others are timed (PyTorch).

    bench/gpu_load.py DEVICE SECONDS [SEED]"""
import random
import sys
import time

import torch

device, seconds = sys.argv[1], float(sys.argv[2])
chance = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
a = torch.randn(4096, 4096, device=device, dtype=torch.bfloat16)
b = torch.randn(64 << 20, device=device)
end, bursts = time.monotonic() + seconds, 0
while time.monotonic() < end:
    stop = time.monotonic() + chance.uniform(0.2, 2)
    while time.monotonic() < stop:
        for _ in range(8):
            if chance.random() < 0.5: a = torch.nn.functional.normalize(a @ a, dim=0)
            else: b = b * 1.0001
        torch.cuda.synchronize(device)
    bursts += 1
    time.sleep(chance.uniform(0.2, 2))
print(f"{bursts} bursts")
