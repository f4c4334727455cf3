#pragma once
namespace harness {

/// Seconds of a clock that nobody sets and that stands still while nothing of this process runs: while the machine is
/// suspended (CLOCK_MONOTONIC), and, once `watch_for_stops` was called, while the process is stopped (SIGSTOP, Ctrl-Z,
/// a frozen container, a paused virtual machine). Of a stop at most half a second is counted. For budgets, costs and
/// deadlines.
double awake_seconds();

/// What awake_seconds() was, or would have been, when this process was started.
double awake_at_start();

/// Begins to watch, in a thread of its own that wakes every 10 ms. Once and for ever; calling it again does nothing.
/// By the main thread, and not in a worker: a candidate's process has no thread of ours beside it.
void watch_for_stops();

}  // namespace harness
