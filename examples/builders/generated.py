#!/usr/bin/env python3
"""A builder (docs/builders.md) for variants whose source is a Python program that writes CUDA C++: build = "command:generated.py".

The source has a function `cuda(entry, config)`, which returns the text of one `extern "C" __global__` function and the
number of its threads. It shows the protocol with a compiler that every toolkit has. For another language put its own
compiler in the place of `machine_code`: it gets the entry and the kinds of the arguments, and leaves a cubin.
"""

import json
import pathlib
import subprocess
import sys


def machine_code(text, target, request):
    """Compiles and leaves a cubin at `target`; what the compiler says where it cannot."""
    source = target.with_suffix(".cu")
    source.write_text(text)
    nvcc = pathlib.Path(request["toolkit"] or "/usr/local/cuda") / "bin/nvcc"
    if not nvcc.exists():
        return {"missing": f"there is no {nvcc}"}
    done = subprocess.run([nvcc, f"-arch={request['architecture']}", "-cubin", "-o", target, source, *request["options"]],
                          capture_output=True, text=True)
    return {"error": done.stderr.strip()} if done.returncode else {"log": done.stderr}


def answer(request):
    names = {}
    exec(compile(request["source"], request["source_name"], "exec"), names)
    texts, entries = [], []
    for entry in request["entries"]:
        text, threads = names["cuda"](entry["name"], dict(request["config"]))
        texts.append(text)
        entries.append({"name": entry["name"], "threads": threads})
    target = pathlib.Path(request["scratch"]) / "code.cubin"
    made = machine_code("\n".join(texts), target, request)
    if "log" not in made:
        return made
    return {"code": target.name, "kind": "cubin", "entries": entries, "compiler": "nvcc", "log": made["log"]}


if __name__ == "__main__":
    try:
        reply = answer(json.load(sys.stdin))
    except Exception as error:  # one sentence, whatever it is
        reply = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(reply))
