"""Arrays that are buffers: array.array, memoryview, bytearray, NumPy's arrays. Plain Python: for small ones."""

from __future__ import annotations

import array
import copy
import math
import platform
import random
from typing import Any, List, Sequence, Tuple, cast

from .kinds import FLOATS, Domain, Kind, Stats, spike_positions

_WHOLE = {1: ("s8", "u8"), 2: ("s16", "u16"), 4: ("s32", "u32"), 8: ("s64", "u64")}


class Buffers(Kind):
    device = "cpu"

    def __init__(self) -> None:
        self.device_name = processor_name()
        self.program = f"Python {platform.python_version()}"
        self._flushed, self._clean = bytearray(), b""

    def owns(self, value: Any) -> bool:
        if isinstance(value, (str, bytes)):
            return False
        try:
            with memoryview(value) as view:
                return not view.readonly
        except (TypeError, BufferError, ValueError):
            return False

    def dtype(self, value: Any) -> str:
        view = memoryview(value)
        code = view.format.lstrip("@=<")
        if code in ("f", "d"):
            return "f32" if code == "f" else "f64"
        if code == "?":
            return "b8"
        if code in "bBhHiIlLqQ" and view.itemsize in _WHOLE:
            return _WHOLE[view.itemsize][code.isupper()]
        raise TypeError(f"elements of the buffer format '{view.format}' cannot be judged without PyTorch")

    def shape(self, value: Any) -> Tuple[int, ...]:
        return tuple(memoryview(value).shape or ())

    def domain(self, value: Any) -> Domain:
        elements = [float(each) for each in _elements(value) if math.isfinite(each)]
        if not elements:
            return Domain(0, 0, 0, 0)
        mean = sum(elements) / len(elements)
        lo, hi = min(elements), max(elements)
        whole = self.dtype(value) not in FLOATS
        return Domain(lo, hi, mean, math.sqrt(sum((each - mean) ** 2 for each in elements) / len(elements)),
                      whole and len(elements) > 2 and elements == sorted(elements),
                      whole and len(elements) > 2 and sorted(elements) == [lo + i for i in range(len(elements))])

    def clone(self, value: Any) -> Any:
        if not memoryview(value).c_contiguous:
            raise TypeError("a buffer that is not contiguous cannot be judged without PyTorch")
        if isinstance(value, memoryview):
            return _like(value, bytearray(value.tobytes()))
        return copy.copy(value)

    def draw(self, value: Any, domain: Domain, form: str, seed: int) -> None:
        drawn, target = random.Random(seed), _elements(value)
        code, count = self.dtype(value), len(_elements(value))
        if domain.permutation:
            numbers: List[Any] = list(range(int(domain.lo), int(domain.hi) + 1))
            drawn.shuffle(numbers)
        elif code == "b8":
            numbers = [drawn.random() < domain.mean for _ in range(count)]
        elif code not in FLOATS:
            numbers = [drawn.randint(int(domain.lo), int(domain.hi)) for _ in range(count)]
            numbers = sorted(numbers) if domain.ascending else numbers
        else:
            plain = [min(domain.hi, max(domain.lo, drawn.gauss(domain.mean, domain.deviation))) for _ in range(count)]
            columns = (self.shape(value) or (1,))[-1]
            numbers = _in_form(plain, form, columns, drawn)
            numbers = [abs(each) for each in numbers] if domain.lo >= 0 else numbers
        for i, number in enumerate(numbers):
            target[i] = number

    def copy_into(self, target: Any, source: Any) -> None:
        memoryview(target).cast("B")[:] = memoryview(source).cast("B")

    def same(self, a: Any, b: Any) -> bool:
        return memoryview(a).tobytes() == memoryview(b).tobytes()

    def wide(self, value: Any) -> Any:
        return self._converted(value, [float(each) for each in _elements(value)]) \
            if self.dtype(value) in FLOATS else self.clone(value)

    def rounded(self, value: Any, bits: int) -> Any:
        if self.dtype(value) not in FLOATS:
            return self.clone(value)
        near = self.clone(value)
        target = _elements(near)
        for i, each in enumerate(_elements(value)):
            target[i] = _to_bits(each, bits)
        return near

    def _converted(self, value: Any, numbers: List[float]) -> Any:
        if hasattr(value, "astype"):
            return value.astype("float64")
        doubles = array.array("d", numbers)
        return doubles if isinstance(value, array.array) else _like(value, doubles, "d")

    def measure(self, reference: Any, got: Any) -> Stats:
        right, found, shape = _elements(reference), _elements(got), self.shape(got)
        columns, stats = (shape or (1,))[-1] or 1, Stats()
        rows: List[Tuple[float, float]] = []  # squares of error and of size
        for first in range(0, len(found), columns):
            error2 = size2 = 0.0
            for i in range(first, min(first + columns, len(found))):
                r, g = float(right[i]), float(found[i])
                if not math.isfinite(r) or not math.isfinite(g):
                    if not (r == g or (math.isnan(r) and math.isnan(g))):
                        stats.not_finite += 1
                        stats.first_not_finite = stats.first_not_finite or index_at(i, shape)
                    continue
                stats.count += 1
                error2 += (g - r) ** 2
                size2 += r * r
                stats.product += r * g
            rows.append((error2, size2))
        stats.error2, stats.reference2 = sum(row[0] for row in rows), sum(row[1] for row in rows)
        typical2 = stats.reference2 / max(1, stats.count) * columns
        for number, (error2, size2) in enumerate(rows):
            scale2 = max(size2, typical2) or columns
            stats.worst_row = max(stats.worst_row, math.sqrt(error2 / scale2))
            rms = math.sqrt(max(size2, typical2) / columns)
            for i in range(number * columns, min((number + 1) * columns, len(found))):
                r, g = float(right[i]), float(found[i])
                if math.isfinite(r) and math.isfinite(g):
                    badness = abs(g - r) / (max(abs(r), rms) or 1)
                    if badness > stats.worst_element:
                        stats.worst_element, stats.worst_index = badness, index_at(i, shape)
                        stats.expected, stats.got = r, g
        return stats

    def differing(self, reference: Any, got: Any) -> Tuple[int, Tuple[int, ...], float, float]:
        right, found = _elements(reference), _elements(got)
        wrong = [i for i in range(len(found)) if found[i] != right[i]]
        if not wrong:
            return 0, (), 0, 0
        return len(wrong), index_at(wrong[0], self.shape(got)), float(right[wrong[0]]), float(found[wrong[0]])

    def spoiled(self, right: Any, how: str, other: Any, bits: int) -> Any:
        floating = self.dtype(right) in FLOATS
        wrong = self.clone(right)
        target, count = _elements(wrong), len(_elements(wrong))
        columns = (self.shape(right) or (1,))[-1]
        if how == "all zeros":
            for i in range(count):
                target[i] = type(target[i])(0)
        elif how == "previous output":
            self.copy_into(wrong, other)
        elif how == "last row missing" and count > columns:
            for i in range(count - columns, count):
                target[i] = type(target[i])(0)
        elif how == "partly written":
            target[random.randrange(count)] = _elements(other)[0]
        elif how == "scaled by 1.01" and floating:
            for i in range(count):
                target[i] = target[i] * 1.01
        elif how == "one precision lower" and floating:
            return self.rounded(right, bits)
        else:
            return None
        return wrong

    def flush(self) -> None:
        if not self._flushed:
            self._flushed, self._clean = bytearray(self.cache_bytes()), bytes(self.cache_bytes())
        self._flushed[:] = self._clean

    def bytes_of(self, value: Any) -> int:
        return memoryview(value).nbytes


def _elements(value: Any) -> Any:
    """A flat memoryview: whole numbers or floating ones, which no type says."""
    view: Any = memoryview(value)
    return view.cast("B").cast(view.format.lstrip("@=<"))


def _like(value: Any, held: Any, code: str = "") -> memoryview:
    view, bare = memoryview(value), memoryview(held).cast("B")
    shaped: memoryview = cast(Any, bare).cast(code or view.format, list(view.shape or (0,)))
    return shaped


def index_at(place: int, shape: Sequence[int]) -> Tuple[int, ...]:
    index: List[int] = []
    for extent in reversed(shape):
        place, last = divmod(place, max(1, extent))
        index.append(last)
    return tuple(reversed(index))


def _to_bits(value: float, bits: int) -> float:
    if not math.isfinite(value) or value == 0:
        return value
    mantissa, exponent = math.frexp(value)
    return math.ldexp(round(math.ldexp(mantissa, bits + 1)), exponent - bits - 1)


def _in_form(plain: List[float], form: str, columns: int, drawn: random.Random) -> List[float]:
    if form.startswith("scaled "):
        return [each * float(form[len("scaled "):]) for each in plain]
    if form in ("large", "shifted", "lowered"):
        return [each * 8 if form == "large" else each + (2 if form == "shifted" else -120) for each in plain]
    if form == "spikes":
        return [each * 64 if drawn.randrange(128) == 0 else each for each in plain]
    if form in ("few spikes", "wide spikes"):
        for i in spike_positions(len(plain), drawn.randrange):
            plain[i] = plain[i] * 512 if form == "few spikes" else drawn.choice((-1, 1)) * drawn.uniform(7e4, 14e4)
        return plain
    for first in range(0, len(plain), max(1, columns)):
        row = range(first, min(first + columns, len(plain)))
        hot, level, turn = drawn.randrange(max(1, columns)), drawn.gauss(0, 1), drawn.random()
        for i in row:
            if form == "one-hot":
                plain[i] = 1.0 if i - first == hot else 0.0
            elif form == "constant rows":
                plain[i] = level
            elif form == "ramp":
                plain[i] = 2 * (((i - first + 0.5) / columns + turn) % 1) - 1
    return plain


def processor_name() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
