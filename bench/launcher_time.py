#!/usr/bin/env python3
"""What a package's launcher takes of the host, beyond the driver: over tests/fakes/libcuda, which does nothing.

    python3 bench/launcher_time.py PACKAGE

Prints one JSON line a workload: `run_ns` of a call of NAME_run, `choice_ns` of NAME_choice; then `load_ms` of the shared
object with all kernels, and `operator_ns` of the PyTorch operator's kernel over tests/fakes/libtorch, with the fake's
own allocations in it. Needs g++ and no GPU. On a GPU bench/package_check.py times the same with PyTorch.
"""
import ctypes
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import time

FAKES = pathlib.Path(__file__).resolve().parents[1] / "tests" / "fakes"
CALLS = 300000
CODES = {"u8": 0, "s8": 1, "s16": 2, "s32": 3, "s64": 4, "f16": 5, "f32": 6, "f64": 7, "bool": 11, "bf16": 15}


def compiled(source, to, *options):
    subprocess.run(["g++", "-std=c++17", "-O2", str(source), *options, "-o", str(to)], check=True)


def c_value(field, value):
    if field["type"] == "text":
        return str(field["values"].index(value))
    return str(int(value)) if field["type"] != "float" else repr(value)


def program(described):
    """C++ that times every workload of a package. Pointers lead nowhere: the fake launches nothing."""
    name = described["name"]
    calls = ", ".join("1" if a["kind"] == "scalar" else "Any{pointer}" for a in described["contract"]["arguments"])
    blocks = ""
    for row in described["workloads"]:
        sizes = "".join(f"    w.{f['name']} = {c_value(f, row['values'][f['name']])};\n"
                        for f in described["contract"]["fields"])
        blocks += (f"  {{\n    {name}_sizes w;\n{sizes}    size_t bytes = 0;\n"
                   f"    must({name}_workspace_bytes(&w, &bytes));\n"
                   f"    const double run = time_of([&] {{ must({name}_run(&w, {calls}, pointer, bytes, nullptr)); }});\n"
                   f"    {name}_choice_info info;\n"
                   f"    const double choice = time_of([&] {{ must({name}_choice(&w, &info)); }});\n"
                   f"    std::printf(\"{{\\\"workload\\\": \\\"{row['workload']}\\\", \\\"choice\\\": \\\"%s\\\", "
                   f"\\\"run_ns\\\": %.0f, \\\"choice_ns\\\": %.0f}}\\n\", info.variant, run, choice);\n  }}\n")
    return (f"#include <chrono>\n#include <cstdio>\n#include <cstdlib>\n#include \"{name}.h\"\n"
            "struct Any {\n  void* to;\n  template <typename T>\n  operator T*() const { return (T*)to; }\n};\n"
            f"static void must({name}_status s) {{\n  if (s) std::puts({name}_status_text(s)), std::exit(1);\n}}\n"
            "template <typename F>\nstatic double time_of(F&& call) {\n  double best = 1e30;\n"
            "  for (int round = 0; round < 5; ++round) {\n"
            "    const auto begin = std::chrono::steady_clock::now();\n"
            f"    for (int i = 0; i < {CALLS // 5}; ++i) call();\n"
            "    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - begin;\n"
            f"    if (spent.count() / {CALLS // 5} < best) best = spent.count() / {CALLS // 5};\n  }}\n  return best;\n}}\n"
            f"int main() {{\n  void* const pointer = (void*)(1ull << 44);\n{blocks}}}\n")


def operator_ns(described, library, torch_folder):
    """The operator's kernel on tensors of the first workload."""
    native = ctypes.CDLL(str(torch_folder / "libtorch_cpu.so"))
    ctypes.CDLL(str(torch_folder / "libtorch_cuda.so"))
    register = getattr(library, described["name"] + "_register_torch", None)
    if register is None:
        return None
    register.argtypes, register.restype = [ctypes.c_char_p], ctypes.c_char_p
    if why := register(str(torch_folder).encode()):
        sys.exit(why.decode())
    native.fake_tensor.restype = native.fake_call.restype = ctypes.c_void_p
    native.fake_times.restype = ctypes.c_double
    sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "python" / described["name"]))
    import _contract as contract  # plain Python: shapes from sizes
    sizes = described["workloads"][0]["values"]
    row = next(r for r in contract.TYPES if all(sizes[f] == t for f, t in r["fixed"].items()))
    stack = []
    for argument in contract.READ:
        shape, strides = contract.shape_of(argument, sizes), contract.strides_of(argument, sizes)
        numbers = [(ctypes.c_int64 * len(shape))(*each) for each in (shape, strides)]
        stack.append(native.fake_tensor(CODES[row["arguments"][argument["name"]]], 1, ctypes.c_int64(len(shape)),
                                        *numbers, ctypes.c_uint64(1 << 44)))
    tensors = len(stack)
    stack += [0x3ff0000000000000 if a["dtype"][0] == "f" else 1 for a in contract.SCALARS]
    asked = sorted(contract.ASKED, key=lambda field: field["type"] == "flag")
    stack += [int(sizes[field["name"]]) for field in asked]
    values = (ctypes.c_uint64 * (len(stack) + 8))(*stack)
    key = f"harness_{described['name']}::run".encode()
    return native.fake_times(key, values, ctypes.c_int64(tensors), ctypes.c_int64(len(stack)),
                             ctypes.c_int64(len(contract.OUTPUTS)), ctypes.c_int64(CALLS))


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    described = json.loads((folder / "kernel.json").read_text())
    name = described["name"]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        compiled(FAKES / "libcuda" / "libcuda.cpp", work / "libcuda.so.1", "-shared", "-fPIC")
        compiled(FAKES / "libtorch" / "libtorch.cpp", work / "libtorch_cpu.so", "-shared", "-fPIC")
        compiled(FAKES / "libtorch" / "libtorch.cpp", work / "libtorch_cuda.so", "-shared", "-fPIC")
        (work / "program.cpp").write_text(program(described))
        library = folder / "python" / name / f"{name}.{platform.machine()}.so"
        compiled(work / "program.cpp", work / "program", f"-I{folder / 'include'}", str(library),
                 f"-Wl,-rpath,{library.parent}")
        if os.environ.get("LAUNCHER_TIME") != "inner":
            environment = {**os.environ, "LD_LIBRARY_PATH": str(work), "LAUNCHER_TIME": "inner"}
            subprocess.run([str(work / "program")], env=environment, check=True)
            return subprocess.run([sys.executable, __file__, *sys.argv[1:]], env=environment).returncode
        begin = time.perf_counter()
        opened = ctypes.CDLL(str(library))
        if getattr(opened, name + "_load")() != 0:
            sys.exit("it does not load")
        print(json.dumps({"load_ms": round((time.perf_counter() - begin) * 1e3, 2)}))
        taken = operator_ns(described, opened, work)
        print(json.dumps({"operator_ns": taken and round(taken)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
