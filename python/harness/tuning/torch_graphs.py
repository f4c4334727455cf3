"""Calls of PyTorch as one CUDA graph, and how long they take. The program `harness` carries this file, too: what it calls
as a baseline or a rival (docs/problems.md) is timed by the same lines as what `harness.tune` tunes."""

import importlib
import time
from typing import Any, Callable, List, Optional, Sequence, Tuple

torch: Any = importlib.import_module("torch")  # Any: it may not be here, and its types are not whole


def captured(function: Callable[..., Any], calls: Sequence[Sequence[Any]]) -> Tuple[Optional[Any], str, List[Any]]:
    """One graph of all calls and what they return, or why there is none. What is compiled at a first call must have been."""
    if not torch.cuda.is_available():
        return None, "", []
    results: List[Any] = []
    try:
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize()
        with torch.no_grad(), torch.cuda.graph(graph):
            for arguments in calls:
                results.append(function(*arguments))
        return graph, "", results
    except RuntimeError as error:
        torch.cuda.synchronize()
        return None, str(error).split("\n", 1)[0][:100], []


def timed(graph: Optional[Any], work: Callable[[], Any]) -> float:
    """Nanoseconds of a graph between events. Of plain calls until all streams rest: events would not wait for another stream."""
    on_gpu = torch.cuda.is_available()
    if graph is None:
        if on_gpu:
            torch.cuda.synchronize()
        started = time.perf_counter_ns()
        with torch.no_grad():
            work()
        if on_gpu:
            torch.cuda.synchronize()
        return float(max(1, time.perf_counter_ns() - started))
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.cuda._sleep(100_000)  # while the GPU waits, the host launches: what that takes is no part of the graph
    begin.record()
    graph.replay()
    end.record()
    torch.cuda.synchronize()
    return float(max(1e-3, begin.elapsed_time(end)) * 1e6)
