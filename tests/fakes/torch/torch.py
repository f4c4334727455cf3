"""As much of PyTorch as a package's module asks for, without a GPU: tensors have no elements, only an address."""
import contextlib
import itertools
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


class _Operators(types.ModuleType):
    def __getattr__(self, name):
        space = types.SimpleNamespace()
        for key, made in _operators.items():
            if key.split("::")[0] == name:
                setattr(space, key.split("::")[1], made["CUDA"])
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
