#pragma once
namespace harness {

/// Seconds of a clock that nobody sets and that stands still while nothing of this process runs: while the machine is
/// suspended (CLOCK_MONOTONIC), and, once `watch_for_stops` was called, while the process is stopped (SIGSTOP, Ctrl-Z,
/// a frozen container, a paused virtual machine). Of a stop at most half a second is counted. For budgets, costs and
/// deadlines.
double awake_seconds();

/// What awake_seconds() was when this program began, or this process was forked from it; what ran in the process before
/// `exec` is another program's. Later by what leave_uncharged() was told.
double awake_at_start();

/// So many of the seconds that have passed are charged to nobody, because others were waited for. By the main thread.
void leave_uncharged(double seconds);

/// Begins to watch, in a thread of its own that wakes every 10 ms. Once and for ever; calling it again does nothing.
/// By the main thread, and not in a worker: a candidate's process has no thread of ours beside it.
void watch_for_stops();

/// Called by that thread each time it wakes. One function, for ever; it must not block.
void call_when_awake(void (*tell)());

}  // namespace harness
