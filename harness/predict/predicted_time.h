#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/counting.h"
#include "harness/predict/occupancy.h"

// A stated model turns counts into a time (docs/profile.md explains it). It is a prediction: never a measurement.
namespace harness {

/// A sector of memory: what caches move at once, and what is counted of global memory (core/counting.h).
inline constexpr std::int64_t kSectorBytes = 32;

inline double number(const Counts& counts, Count which) {
  return static_cast<double>(counts[which]);
}

/// Warps of one role (CountedRole), all together.
struct WarpWork {
  double warps = 0;
  Counts counts;
  double waits = 0, cycles = 0, atomic_waits = 0;  // as LaunchWork has them
};

/// One launch, as far as the model wants to know it.
struct LaunchWork {
  std::int64_t blocks = 0;
  BlockNeeds needs;           // of a block
  Counts counts;              // of all blocks
  double l1_passes = 0;       // of loads and stores of global memory
  double memory_bytes = 0;    // from and to device memory
  double repeated_bytes = 0;  // of those from the L2, what another block asks for, too
  double heaviest = 1;        // work of the block that has most, over that of all on average
  double longest = 1;  // what a block does one after another, of the one that drew most over that of all on average
  double flops = 0;    // on tensor cores where it has tensor instructions, else on FMA units
  double exps = 0;
  // Of the machine code, all warps together; 0: nobody knows it, and a guess stands in.
  double instructions = 0;   // issued
  double special = 0;        // of these for the unit of ex2, rcp and conversions
  double waits = 0;          // for loads of global memory, by warps
  double cycles = 0;         // of each warp, if it were alone and no load were waited for
  double tensor_cycles = 0;  // that tensor cores are busy, each with one warp
  double atomic_waits = 0;   // for what atomic operations found, by warps
  double hottest_turns = 0;  // of atomic operations on the sector that most of them want
  std::vector<WarpWork> roles;
};

/// How long each part of a GPU would be busy, or each warp would wait, if nothing else happened. Nanoseconds.
struct PredictedTime {
  double ns = 0;
  double lo_ns = 0, hi_ns = 0;  // of 10 predictions 9 should hold; see docs/profile.md for how many did
  /// ("memory", 812.0), ...: device memory, l2, l1 (with shared memory), issue, arithmetic, latency, atomics,
  /// cluster, launch.
  std::vector<std::pair<std::string, double>> parts;
  double waves = 0;      // blocks over what the GPU holds at once
  double occupancy = 0;  // share of a multiprocessor's warps
};

/// Nothing: not one block fits on the GPU.
std::optional<PredictedTime> predict_time(const GpuFacts& gpu, const LaunchWork& work);

/// Passes that the loads and stores of one place take through an L1: 4 sectors at a time, and one line of 128 bytes.
/// Requests of more than 16 sectors are scattered, a sector a line: neighbours ask for 16 at most.
double l1_passes(const Counts& counts);

/// What moved between the L1s and the L2, sectors.
double l2_sectors(const Counts& counts);

}  // namespace harness
