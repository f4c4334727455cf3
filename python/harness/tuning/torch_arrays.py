"""Tensors of PyTorch, on a CPU or a CUDA GPU."""

from __future__ import annotations

import contextlib
import importlib
import platform
from typing import Any, Callable, List, Optional, Sequence, Tuple

torch: Any = importlib.import_module("torch")  # Any: it may not be here, and its types are not whole

from .buffers import index_at, processor_name
from .kinds import FLOATS, Domain, Kind, Stats, spike_positions

_NAMES = {"float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "float8_e4m3fn": "e4m3",
          "float8_e5m2": "e5m2", "int8": "s8", "uint8": "u8", "int16": "s16", "int32": "s32", "int64": "s64",
          "uint16": "u16", "uint32": "u32", "uint64": "u64", "bool": "b8"}
_DTYPES = {getattr(torch, theirs): ours for theirs, ours in _NAMES.items() if hasattr(torch, theirs)}
_GUARD = 512  # bytes before and behind: a clone stays aligned as what the allocator gives


class Tensors(Kind):
    def __init__(self, tensors: Sequence[Any]) -> None:
        devices = {str(each.device) for each in tensors}
        self._place = tensors[0].device
        if len(devices) > 1:
            raise ValueError(f"the arguments lie on several devices: {', '.join(sorted(devices))}")
        if self._place.type not in ("cpu", "cuda"):
            raise ValueError(f"tensors on '{self._place.type}' cannot be timed: a CPU or a CUDA GPU is needed")
        self.on_gpu = self._place.type == "cuda"
        self.device = f"cuda:{self._place.index or 0}" if self.on_gpu else "cpu"
        self.device_name = torch.cuda.get_device_name(self._place) if self.on_gpu else processor_name()
        self.program = f"Python {platform.python_version()}, PyTorch {torch.__version__}"
        self._grad = any(each.requires_grad for each in tensors)
        self._flushed: Any = None  # a tensor, once it is needed

    def owns(self, value: Any) -> bool:
        return isinstance(value, torch.Tensor)

    def dtype(self, value: Any) -> str:
        if value.dtype not in _DTYPES:
            raise TypeError(f"elements of the type {value.dtype} cannot be judged")
        return _DTYPES[value.dtype]

    def shape(self, value: Any) -> Tuple[int, ...]:
        return tuple(value.shape)

    def domain(self, value: Any) -> Domain:
        given = value.detach().to(torch.float64).flatten()
        given = given[torch.isfinite(given)]
        if given.numel() == 0:
            return Domain(0, 0, 0, 0)
        lo, hi, whole = given.min().item(), given.max().item(), self.dtype(value) not in FLOATS
        several = whole and given.numel() > 2
        ordered = given.sort().values
        steps = torch.arange(given.numel(), dtype=torch.float64, device=given.device) + lo
        return Domain(lo, hi, given.mean().item(), given.std(unbiased=False).item(),
                      several and bool(torch.equal(ordered, given)), several and bool(torch.equal(ordered, steps)))

    def clone(self, value: Any) -> Any:
        given = value.detach()
        span = 1 + sum((extent - 1) * stride for extent, stride in zip(given.shape, given.stride()))
        overlaps = any(stride == 0 and extent > 1 for extent, stride in zip(given.shape, given.stride()))
        if given.numel() == 0 or overlaps or not given.layout == torch.strided:
            copied = given.clone()
        else:
            guard = max(1, _GUARD // given.element_size())
            held = torch.empty(span + 2 * guard, dtype=given.dtype, device=given.device)
            held.view(torch.uint8).fill_(0xFF)  # no number in every floating type
            copied = held.as_strided(given.shape, given.stride(), guard)
            copied.copy_(given)
            copied.harness_guards = (held, guard, span)
        if value.requires_grad and copied.is_floating_point():
            guards = getattr(copied, "harness_guards", None)
            copied.requires_grad_(True)
            copied.harness_guards = guards
        return copied

    def guards_hold(self, value: Any) -> Optional[bool]:
        guards = getattr(value, "harness_guards", None)
        if guards is None:
            return None
        held, guard, span = guards
        return bool((held[:guard].view(torch.uint8) == 0xFF).all() and
                    (held[guard + span:].view(torch.uint8) == 0xFF).all())

    def draw(self, value: Any, domain: Domain, form: str, seed: int) -> None:
        generator = torch.Generator(device=self._place).manual_seed(seed)
        place, code = {"device": self._place, "generator": generator}, self.dtype(value)
        with torch.no_grad():
            if domain.permutation:
                drawn = torch.randperm(value.numel(), **place).view(value.shape) + int(domain.lo)
            elif code == "b8":
                drawn = torch.rand(value.shape, **place) < domain.mean
            elif code not in FLOATS:
                drawn = torch.randint(int(domain.lo), int(domain.hi) + 1, value.shape, **place)
                drawn = drawn.flatten().sort().values.view(value.shape) if domain.ascending else drawn
            else:
                precise = torch.float64 if code == "f64" else torch.float32
                drawn = torch.randn(value.shape, dtype=precise, **place) * domain.deviation + domain.mean
                drawn = _in_form(drawn.clamp_(domain.lo, domain.hi), form, generator)
                drawn = drawn.abs() if domain.lo >= 0 else drawn
                if code in ("f16", "e4m3", "e5m2"):
                    most = torch.finfo(value.dtype).max
                    drawn = drawn.clamp(-most, most)
            value.copy_(drawn)

    def copy_into(self, target: Any, source: Any) -> None:
        with torch.no_grad():
            target.copy_(source)

    def same(self, a: Any, b: Any) -> bool:
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        if a.numel() == 0:
            return True
        return bool(torch.equal(*(each.detach().contiguous().view(-1).view(torch.uint8) for each in (a, b))))

    def wide(self, value: Any) -> Any:
        return value.detach().to(torch.float64) if self.dtype(value) in FLOATS else self.clone(value)

    def rounded(self, value: Any, bits: int) -> Any:
        if self.dtype(value) not in FLOATS:
            return self.clone(value)
        mantissa, exponent = torch.frexp(value.detach().to(torch.float64))
        near = torch.ldexp(torch.round(mantissa * 2.0 ** (bits + 1)), exponent - bits - 1)
        return near.to(value.dtype)

    def measure(self, reference: Any, got: Any) -> Stats:
        shape = self.shape(got)
        columns = (shape or (1,))[-1] or 1
        right, found = (each.detach().to(torch.float64).reshape(-1, columns) for each in (reference, got))
        agree = (right == found) | (torch.isnan(right) & torch.isnan(found))
        finite = torch.isfinite(right) & torch.isfinite(found)
        stats, bad = Stats(), (~finite & ~agree).flatten()
        stats.not_finite = int(bad.sum())
        if stats.not_finite:
            stats.first_not_finite = index_at(int(bad.to(torch.uint8).argmax()), shape)
        if found.numel() == 0:
            return stats
        right, found = torch.where(finite, right, 0.0 * right.new_ones(())), torch.where(finite, found, 0.0 * right.new_ones(()))
        error = (found - right).abs()
        error2, size2 = (error ** 2).sum(1), (right ** 2).sum(1)
        stats.count, stats.product = int(finite.sum()), float((right * found).sum())
        stats.error2, stats.reference2 = float(error2.sum()), float(size2.sum())
        typical2 = stats.reference2 / max(1, stats.count) * columns
        scale2 = size2.clamp(min=typical2)
        scale2 = torch.where(scale2 == 0, torch.full_like(scale2, columns), scale2)
        stats.worst_row = float((error2 / scale2).sqrt().max())
        badness = (error / torch.maximum(right.abs(), (scale2 / columns).sqrt()[:, None])).flatten()
        worst = int(badness.argmax())
        stats.worst_element, stats.worst_index = float(badness[worst]), index_at(worst, shape)
        stats.expected, stats.got = float(right.flatten()[worst]), float(found.flatten()[worst])
        return stats

    def differing(self, reference: Any, got: Any) -> Tuple[int, Tuple[int, ...], float, float]:
        wrong = (reference != got).flatten()
        count = int(wrong.sum())
        if not count:
            return 0, (), 0, 0
        first = int(wrong.to(torch.uint8).argmax())
        return count, index_at(first, self.shape(got)), float(reference.flatten()[first]), float(got.flatten()[first])

    def spoiled(self, right: Any, how: str, other: Any, bits: int) -> Any:
        floating, wrong = self.dtype(right) in FLOATS, right.detach().clone()
        if how == "all zeros":
            return torch.zeros_like(wrong)
        if how == "previous output":
            return other.detach().clone()
        if how == "last row missing" and wrong.dim() > 1 and wrong.numel() > wrong.shape[-1]:
            wrong.reshape(-1, wrong.shape[-1])  # the last dimension is a row
            wrong[tuple([-1] * (wrong.dim() - 1))] = 0
            return wrong
        if how == "partly written":
            place = tuple(int(torch.randint(extent, (1,))) for extent in wrong.shape)
            wrong[place] = other.flatten()[0]
            return wrong
        if how == "scaled by 1.01" and floating:
            return (wrong.to(torch.float64) * 1.01).to(wrong.dtype)
        return self.rounded(right, bits) if how == "one precision lower" and floating else None

    def poison_freed_memory(self, likes: Sequence[Any]) -> None:
        held: List[Any] = []
        for like in likes:
            spoilt = torch.empty_like(like.detach())
            if spoilt.numel() and spoilt.is_contiguous():
                spoilt.view(-1).view(torch.uint8).fill_(0xFF if spoilt.dtype != torch.bool else 1)
            held.append(spoilt)

    def call(self, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        with contextlib.nullcontext() if self._grad else torch.no_grad():
            result = function(*arguments)
        if self.on_gpu:
            torch.cuda.synchronize(self._place)
        return result

    def failure(self, error: BaseException) -> Optional[Tuple[str, str]]:
        if isinstance(error, getattr(torch.cuda, "OutOfMemoryError", ())):
            return "out_of_memory", str(error)
        if not self.on_gpu:
            return None
        try:
            torch.cuda.synchronize(self._place)
        except RuntimeError as lost:
            return "device_lost", f"the GPU cannot be used by this process any more: {lost}"
        return None

    def flush(self) -> None:
        if self._flushed is None:
            self._flushed = torch.empty(2 * self.cache_bytes(), dtype=torch.uint8, device=self._place)
        self._flushed.fill_(1)

    def cache_bytes(self) -> int:
        if self.on_gpu:
            return int(getattr(torch.cuda.get_device_properties(self._place), "L2_cache_size", 64 << 20))
        return super().cache_bytes()

    def bytes_of(self, value: Any) -> int:
        return int(value.numel() * value.element_size())


def _in_form(plain: Any, form: str, generator: Any) -> Any:
    place = {"device": plain.device, "generator": generator}
    if form.startswith("scaled "):
        return plain * float(form[len("scaled "):])
    if form in ("large", "shifted", "lowered"):
        return plain * 8 if form == "large" else plain + (2 if form == "shifted" else -120)
    if form == "spikes":
        return torch.where(torch.rand(plain.shape, **place) < 1 / 128, plain * 64, plain)
    if form in ("few spikes", "wide spikes"):
        flat = plain.contiguous().view(-1)
        choose: Callable[[int], int] = lambda count: int(torch.randint(count, (1,), **place))  # noqa: E731
        for i in spike_positions(flat.numel(), choose):
            sign = 1 if choose(2) else -1
            flat[i] = flat[i] * 512 if form == "few spikes" else sign * 7e4 * (1 + float(torch.rand(1, **place)))
        return flat.view(plain.shape)
    if form == "nominal" or plain.dim() == 0:
        return plain
    columns, rows = plain.shape[-1], plain.reshape(-1, plain.shape[-1])
    if form == "one-hot":
        hot = torch.randint(columns, (rows.shape[0], 1), **place)
        return torch.zeros_like(rows).scatter_(1, hot, 1.0).view(plain.shape)
    if form == "constant rows":
        return torch.randn(rows.shape[0], 1, dtype=plain.dtype, **place).expand_as(rows).reshape(plain.shape)
    along = (torch.arange(columns, dtype=plain.dtype, device=plain.device) + 0.5) / columns
    turned = along[None, :] + torch.rand(rows.shape[0], 1, dtype=plain.dtype, **place)
    return (2 * (turned - turned.floor()) - 1).view(plain.shape)
