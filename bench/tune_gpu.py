#!/usr/bin/env python3
"""harness.tune on a GPU: a Triton softmax beside PyTorch's, and what the record then says. Prints JSON lines.

On a server with PyTorch and Triton, after bench/carry.sh:
    PYTHONPATH=python HARNESS_PROGRAM=.carry/harness bench/tune_gpu.py STORE.db [BUDGET]
Ways that are wrong are in the space, too: one forgets the maximum, one remembers its answers, one works on a stream of
its own, one writes behind its output.
"""
import json, sys

import harness
import torch
import triton
import triton.language as tl


@triton.jit
def rows(y, x, columns, BLOCK: tl.constexpr, SHIFT: tl.constexpr):
    row, place = tl.program_id(0), tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + place, mask=place < columns, other=-float("inf"))
    grown = tl.exp(value - tl.max(value, 0) if SHIFT else value)
    tl.store(y + row * columns + place, grown / tl.sum(grown, 0), mask=place < columns)


def compiled(config):
    answers, other = {}, torch.cuda.Stream()

    def softmax(x):
        if config["WAY"] == "remembers" and x.data_ptr() in answers:
            return answers[x.data_ptr()]
        y = torch.empty_like(x)
        launch = lambda: rows[(x.shape[0],)](y, x, x.shape[1], BLOCK=triton.next_power_of_2(x.shape[1]),
                                             SHIFT=config["WAY"] != "unshifted", num_warps=config["WARPS"])
        if config["WAY"] == "aside":
            with torch.cuda.stream(other):
                launch()
        else:
            launch()
        if config["WAY"] == "behind":
            x.as_strided((1,), (1,), x.storage_offset() + x.numel()).fill_(0)
        if config["WAY"] == "remembers":
            answers[x.data_ptr()] = y
        return y

    return softmax


db, budget = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "60s"
space = {"WARPS": harness.powers_of_two(1, 16), "WAY": ["plain", "unshifted", "remembers", "aside", "behind"]}
for shape, dtype in (((4096, 1024), torch.float32), ((4096, 4096), torch.bfloat16)):
    best = harness.tune(compiled, lambda x: torch.softmax(x, -1), [torch.randn(shape, dtype=dtype, device="cuda")],
                        space=space, budget=budget, db=db, name="softmax_triton")
    print(json.dumps({"shape": shape, "dtype": str(dtype), "config": best.config, "time_us": best.time_ns / 1e3,
                      "speedup": best.speedup, "confirmed": best.confirmed, "campaign": best.campaign}), flush=True)
h = harness.Session(db=db)
for row in h.query("SELECT i.campaign, json_extract(i.config, '$.WAY') AS way, i.outcome, count(*) AS n, "
                   "min(i.time_ns) / 1e3 AS best_us FROM v_iterations i GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"):
    print(json.dumps(row))
for row in h.query("SELECT min(iteration) AS iteration, device_name FROM v_iterations WHERE outcome = 'passed' GROUP BY campaign"):
    print(json.dumps({**row, "method": h.show(row["iteration"])["samples"]["method"]}))
