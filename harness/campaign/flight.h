#pragma once
#include <coroutine>
#include <cstdint>
#include <optional>
#include <string>

#include "harness/campaign/ending.h"
#include "harness/campaign/task.h"
#include "harness/core/catalog.h"
#include "harness/core/evaluator.h"
#include "harness/core/ledger.h"

namespace harness {

/// A part of a campaign that waits for evaluations; several of these are under way at once in a fleet.
using Waits = Task<Ended>;

/// An evaluation that is wanted.
struct Assignment {
  Realized realized;
  Purpose purpose;
  std::int64_t ask = 0;                     // number of it within its arm; 0: not asked by a search
  bool all_gates = false;                   // it may be a best, whatever its time: it is not screened
  std::optional<std::size_t> but_not = {};  // rather on another device than this
  std::optional<std::size_t> only = {};     // rather on this one
  double incumbent_ns = 0;  // of what it is timed beside, on the workload's anchor card; 0: beside nothing
  bool confirms() const { return purpose == Purpose::confirm; }
};

/// An evaluation on a device.
struct Flight {
  std::size_t device = 0;
  Assignment work;
  AttemptRecord attempt;
  std::string alone_key;                 // of its incumbent's own time on this card; "" without one
  double alone_ns = 0;                   // that time, as it was known when this began
  std::optional<Evaluation> evaluation;  // it has ended
  std::coroutine_handle<> waiting;       // goes on then
};

}  // namespace harness
