"""What a kind of array can do for the judge: PyTorch's tensors (torch_arrays.py), and anything with a buffer (buffers.py)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, cast

FLOATS = ("f64", "f32", "f16", "bf16", "e4m3", "e5m2")


@dataclass(frozen=True)
class Domain:
    """Which values the caller passes in an argument: fresh ones are drawn like them."""

    lo: float
    hi: float
    mean: float
    deviation: float
    ascending: bool = False  # whole numbers that never fall, such as offsets
    permutation: bool = False  # each whole number from lo to hi once


@dataclass
class Stats:
    """How far an output is from its reference. Sums are over elements whose reference is finite."""

    count: int = 0
    error2: float = 0.0
    reference2: float = 0.0
    product: float = 0.0  # of output and reference
    worst_row: float = 0.0  # a row's error over the larger of its norm and a typical row's
    worst_element: float = 0.0  # an element's error over the larger of its size and its row's
    worst_index: Tuple[int, ...] = ()
    expected: float = 0.0  # at worst_index
    got: float = 0.0
    not_finite: int = 0  # where the reference is finite, or the other way round
    first_not_finite: Tuple[int, ...] = ()

    @property
    def relative(self) -> float:
        if self.error2 == 0:
            return 0.0
        return math.sqrt(self.error2 / (self.reference2 or self.count or 1))

    @property
    def factor(self) -> float:
        """By which the output is the reference, as a whole."""
        return self.product / self.reference2 if self.reference2 > 0 else 1.0


class Kind:
    """One kind of array. Values that it makes are of the same type, shape and place as what they are like."""

    device = "cpu"
    device_name = ""
    program = ""

    def owns(self, value: Any) -> bool:
        raise NotImplementedError

    def dtype(self, value: Any) -> str:
        """As the program calls it: "f32". Raises TypeError for a type that it has no name for."""
        raise NotImplementedError

    def shape(self, value: Any) -> Tuple[int, ...]:
        raise NotImplementedError

    def domain(self, value: Any) -> Domain:
        raise NotImplementedError

    def clone(self, value: Any) -> Any:
        """A copy, with guards around it where this kind can have them."""
        raise NotImplementedError

    def guards_hold(self, value: Any) -> Optional[bool]:
        """Whether the memory around a clone is as it was; None where there are no guards."""
        return None

    def draw(self, value: Any, domain: Domain, form: str, seed: int) -> None:
        """Fills a clone with fresh values in a form of the inputs."""
        raise NotImplementedError

    def copy_into(self, target: Any, source: Any) -> None:
        raise NotImplementedError

    def same(self, a: Any, b: Any) -> bool:
        """Bit for bit."""
        raise NotImplementedError

    def wide(self, value: Any) -> Any:
        """The same values in double precision; whole numbers as they are."""
        raise NotImplementedError

    def rounded(self, value: Any, bits: int) -> Any:
        """Floating values rounded to so many bits of mantissa."""
        raise NotImplementedError

    def measure(self, reference: Any, got: Any) -> Stats:
        raise NotImplementedError

    def differing(self, reference: Any, got: Any) -> Tuple[int, Tuple[int, ...], float, float]:
        """How many elements differ; of the first one its index, what is right there and what is not."""
        raise NotImplementedError

    def spoiled(self, right: Any, how: str, other: Any, bits: int) -> Any:
        """A wrong output made of a right one; None where there is no such."""
        raise NotImplementedError

    def poison_freed_memory(self, likes: Sequence[Any]) -> None:
        """Spoils memory that a candidate may get for its results: what it does not write is no old right answer."""

    def call(self, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        """Calls it and waits for its end."""
        return function(*arguments)

    def failure(self, error: BaseException) -> Optional[Tuple[str, str]]:
        """The kind of failure that an exception is, where this kind of array knows, and a sentence."""
        return None

    def flush(self) -> None:
        """Empties the caches."""

    def cache_bytes(self) -> int:
        return 32 << 20

    def bytes_of(self, value: Any) -> int:
        raise NotImplementedError


@dataclass
class Results:
    """What a call returned, flat: arrays by name."""

    arrays: Dict[str, Any] = field(default_factory=lambda: {})
    others: Dict[str, Any] = field(default_factory=lambda: {})


def flat(kind: Kind, value: Any, name: str = "result") -> Results:
    """The arrays in tuples, lists and dicts; anything else must be equal to what the baseline gives."""
    results = Results()
    if kind.owns(value):
        results.arrays[name] = value
    elif isinstance(value, (tuple, list)):
        for number, each in enumerate(cast(Sequence[Any], value)):
            part = flat(kind, each, f"{name}.{number}")
            results.arrays.update(part.arrays)
            results.others.update(part.others)
    elif isinstance(value, dict):
        for key, each in cast(Dict[str, Any], value).items():
            part = flat(kind, each, f"{name}.{key}")
            results.arrays.update(part.arrays)
            results.others.update(part.others)
    elif value is not None:
        results.others[name] = value
    return results


def kind_of(arguments: Sequence[Any]) -> Kind:
    """PyTorch's where one of the arguments is a tensor, else buffers."""
    import sys

    from .buffers import Buffers

    torch = sys.modules.get("torch")
    if torch is not None and any(isinstance(each, torch.Tensor) for each in arguments):
        from .torch_arrays import Tensors

        return Tensors([each for each in arguments if isinstance(each, torch.Tensor)])
    return Buffers()


def spike_positions(count: int, choose: Callable[[int], int], most: int = 16) -> List[int]:
    return [choose(count) for _ in range(min(most, count))]
