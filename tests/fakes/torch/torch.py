"""As much of PyTorch as a package's module asks for, without a GPU: tensors have no elements, only an address. Where
lib/libtorch_cpu.so (tests/fakes/libtorch) lies beside it, operators that are registered there are called through it."""
import contextlib
import ctypes
import itertools
import pathlib
import re
import sys
import types

_addresses = itertools.count(1)


class dtype:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "torch." + self.name


for _name in ("float64", "float32", "float16", "bfloat16", "int8", "uint8", "int16", "int32", "int64", "bool"):
    globals()[_name] = dtype(_name)


class Device:
    def __init__(self, type_, index=None):
        self.type, self.index = type_, index

    def __eq__(self, other):
        return (self.type, self.index) == (other.type, other.index)

    def __repr__(self):
        return f"{self.type}:{self.index}"


def _dense(shape):
    strides, size = [], 1
    for extent in reversed(shape):
        strides.insert(0, size)
        size *= extent
    return strides


class Tensor:
    def __init__(self, shape, strides=None, dtype=float32, device=None):
        self.shape, self.dtype, self.device = tuple(shape), dtype, device or Device("cuda", 0)
        self._strides = tuple(strides if strides is not None else _dense(shape))
        self._address = next(_addresses) << 32

    @property
    def is_cuda(self):
        return self.device.type == "cuda"

    def stride(self):
        return self._strides

    def data_ptr(self):
        return self._address

    def new_empty_strided(self, shape, strides, dtype=None):
        return Tensor(shape, strides, dtype or self.dtype, self.device)


def empty_strided(shape, strides, dtype=None, device=None):
    return Tensor(shape, strides, dtype, device)


def empty(size, dtype=None, device=None):
    return Tensor([size], None, dtype, device)


class Tag:
    pt2_compliant_tag = "pt2"


_operators = {}


_folder = pathlib.Path(__file__).resolve().parent / "lib"
_native = [ctypes.CDLL(str(_folder / name)) for name in ("libtorch_cpu.so", "libtorch_cuda.so")
           if (_folder / name).exists()]
_CODES = {"uint8": 0, "int8": 1, "int16": 2, "int32": 3, "int64": 4, "float16": 5, "float32": 6, "float64": 7,
          "bool": 11, "bfloat16": 15}
_BY_CODE = {code: name for name, code in _CODES.items()}
if _native:
    _native[0].fake_tensor.restype = _native[0].fake_call.restype = ctypes.c_void_p
    _native[0].fake_living.restype = ctypes.c_int64


def _numbers(values):
    return (ctypes.c_int64 * max(1, len(values)))(*values)


def _handle(tensor):
    return _native[0].fake_tensor(_CODES[tensor.dtype.name], 1 if tensor.is_cuda else 0,
                                  ctypes.c_int64(len(tensor.shape)), _numbers(tensor.shape),
                                  _numbers(tensor.stride()), ctypes.c_uint64(tensor.data_ptr()))


def _tensor(handle):
    """A result of the fake in C++; its own object is given back."""
    native, handle = _native[0], ctypes.c_void_p(handle)
    code, rank, data = ctypes.c_int32(), ctypes.c_int64(), ctypes.c_void_p()
    sizes, strides = ctypes.POINTER(ctypes.c_int64)(), ctypes.POINTER(ctypes.c_int64)()
    native.aoti_torch_get_dtype(handle, ctypes.byref(code))
    native.aoti_torch_get_dim(handle, ctypes.byref(rank))
    native.aoti_torch_get_sizes(handle, ctypes.byref(sizes))
    native.aoti_torch_get_strides(handle, ctypes.byref(strides))
    native.aoti_torch_get_data_ptr(handle, ctypes.byref(data))
    made = Tensor(sizes[:rank.value], strides[:rank.value], globals()[_BY_CODE[code.value]])
    made._address = data.value
    native.aoti_torch_delete_tensor_object(handle)
    return made


class _Operator:
    def __init__(self, key, made):
        self.key, self.made, self.default = key, made, self

    def __call__(self, *values, **named):
        if not _native or not _native[0].fake_has(self.key.encode()):
            return self.made["CUDA"](*values, **named)
        words = re.fullmatch(r"run\((.*)\) -> (.*)", self.made["schema"])
        given, count = list(values), words[2].count("Tensor")
        parameters = [each.split(" ") for each in words[1].split(", ")]
        stack = (ctypes.c_uint64 * max(len(parameters), count))()
        for place, (kind, name) in enumerate(parameters):
            value = given[place] if place < len(given) else named.get(name.split("=")[0], False)
            if kind.startswith("Tensor"):
                stack[place] = _handle(value)
            else:
                bits = ctypes.c_double(value) if kind == "float" else ctypes.c_int64(int(value))
                stack[place] = ctypes.cast(ctypes.pointer(bits), ctypes.POINTER(ctypes.c_uint64))[0]
        why = _native[0].fake_call(self.key.encode(), stack, ctypes.c_uint64(len(parameters)), ctypes.c_uint64(count))
        if why:
            raise RuntimeError(ctypes.cast(why, ctypes.c_char_p).value.decode())
        made = tuple(_tensor(stack[place]) for place in range(count))
        return made[0] if count == 1 else made or None


class _Operators(types.ModuleType):
    def __getattr__(self, name):
        space = types.SimpleNamespace()
        for key, made in _operators.items():
            if key.split("::")[0] == name:
                setattr(space, key.split("::")[1], _Operator(key, made))
        return space


ops = _Operators("torch.ops")
library = types.ModuleType("torch.library")


class _Library:
    def __init__(self, space, kind):
        self.space = space

    def define(self, schema, tags=()):
        self.schema = schema
        _operators[f"{self.space}::{schema.split('(')[0]}"] = {"schema": schema}

    def impl(self, name, function, key):
        _operators[f"{self.space}::{name}"][key] = function


def _register_fake(name, function, lib=None):
    _operators[name]["fake"] = function


library.Library, library.register_fake = _Library, _register_fake
cuda = types.ModuleType("torch.cuda")
cuda.current_device = lambda: 0
cuda.device = lambda device: contextlib.nullcontext()
cuda.current_stream = lambda device=None: types.SimpleNamespace(cuda_stream=0x5000)
sys.modules.update({"torch.library": library, "torch.cuda": cuda, "torch.ops": ops})
