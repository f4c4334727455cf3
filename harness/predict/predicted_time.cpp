#include "harness/predict/predicted_time.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>

#include "harness/core/prediction_range.h"

namespace harness {
namespace {

// What the model takes for granted, and what was fitted. Each constant was chosen so that the predictions for kernels
// that were measured on an H100 and an H200 (docs/profile.md) come near their times; a comment says which of them is
// known from elsewhere. To change one, compare those tables again: bench/counting_bench.cpp makes them.
constexpr double kSectorsACycle = 4;  // an L1 answers 128 bytes a cycle
constexpr double kIssued = 4;         // instructions a cycle of a multiprocessor: it has four schedulers
constexpr double kBeside = 5;         // instructions beside each request: addresses, loops, conversions
constexpr double kLoadsAhead = 4;     // loads of a warp that wait at once: the compiler moves them up, and loops unroll
constexpr double kDependentNs = 2.5;  // an instruction that waits for the one before: 5 cycles
constexpr double kTensorNs = 3;       // the same, for a tensor instruction
constexpr double kTensorCores = 4;    // of a multiprocessor
constexpr double kBesideShared = 1;   // instructions beside a request of shared memory, in the chain that waits
constexpr double kBarrierNs = 6.4;  // of a block, and for each of its warps 1 more, as an H100 takes (docs/profile.md)
constexpr double kBarrierWarpNs = 1;
constexpr double kClusterNs = 400;   // of a cluster's barrier there: 396 with 2 blocks, 452 with 16
constexpr double kBlockNs = 0.6;     // between the beginnings of two blocks there
constexpr double kBegunNs = 400;     // so long blocks begin while the launch is under way
constexpr double kFirstAndLast = 2;  // latencies of memory around the rest: arguments, first loads, last stores
constexpr double kAtomicNs = 1;      // between atomic operations on different addresses, in a slice of the L2
constexpr double kTurnNs = 1.77;     // between those on one sector, as an H200 takes (docs/profile.md)
constexpr double kNorm = 1.6;        // parts overlap: between their sum (1) and the longest (infinite)
constexpr double kAsyncNorm = 4;     // asynchronous copies and the rest: nearly the longer one of the two

/// The shape of a launch on a GPU.
struct Fit {
  double at_once = 0;  // blocks on the GPU
  double waves = 0;
  double rounds = 0;  // waves rounded up
  double warps = 0;   // of a block
  double busy = 0;    // multiprocessors that have a block at all, as a share
  double tail = 1;    // work of the fullest multiprocessor over that of the busy ones on average
};

Fit fit_of(const GpuFacts& gpu, const LaunchWork& work, int blocks) {
  Fit fit;
  const auto all = static_cast<double>(work.blocks);
  assert(blocks > 0 && work.blocks > 0 && work.heaviest >= 1);
  fit.at_once = static_cast<double>(blocks) * gpu.multiprocessors;
  fit.waves = all / fit.at_once;
  fit.rounds = std::ceil(fit.waves);
  fit.warps = std::ceil(static_cast<double>(work.needs.threads) / gpu.warp_lanes);
  fit.busy = std::min(1.0, all / gpu.multiprocessors);
  // Blocks are handed out one by one as others end: what counts is the fullest multiprocessor, and that one of its
  // blocks may have more to do than others.
  const double fullest = std::ceil(all / gpu.multiprocessors), on_average = std::max(1.0, all / gpu.multiprocessors);
  fit.tail = (fullest - 1 + work.heaviest) / on_average;
  return fit;
}

/// What a load of global memory takes, on average and where it misses the L1.
struct LoadTimes {
  double mean_ns = 0, far_ns = 0;
};

LoadTimes load_times(const GpuFacts& gpu, const LaunchWork& work) {
  const Counts& c = work.counts;
  const double sectors = number(c, Count::load_sectors);
  const double missed = sectors > 0 ? number(c, Count::load_missed) / sectors : 0;
  const double l2_bytes = l2_sectors(c) * kSectorBytes;
  const double from_memory = l2_bytes > 0 ? std::min(1.0, work.memory_bytes / l2_bytes) : 0;
  const double far_ns = from_memory * gpu.memory_ns + (1 - from_memory) * gpu.l2_ns;
  return {(1 - missed) * gpu.l1_ns + missed * far_ns, far_ns};
}

/// Multiply-adds and the like, seconds of the whole GPU.
double arithmetic_s(const GpuFacts& gpu, const LaunchWork& work) {
  const double special = work.special * gpu.warp_lanes;
  if (work.counts[Count::tensor_instructions] > 0) {
    // Tiles that stand over the edge are multiplied like others: only the machine code knows of them.
    const double busy = work.tensor_cycles / kTensorCores / gpu.clock_hz / gpu.multiprocessors;
    return std::max(work.flops / gpu.tensor_flops, busy) + std::max(work.exps, special) / gpu.exps_per_s;
  }
  // Each multiply-add is issued, which is a part of its own: here counts what a slower unit takes beyond that.
  const double as_issued = 2.0 * gpu.warp_lanes * kIssued * gpu.clock_hz * gpu.multiprocessors;
  return work.flops * std::max(0.0, 1 / gpu.fma_flops - 1 / as_issued) +
         (work.instructions > 0 ? special : work.exps) / gpu.exps_per_s;
}

/// The sum of parts that overlap.
double overlapped(const std::vector<std::pair<std::string, double>>& parts, bool transfers) {
  double sum = 0;
  for (const auto& [part, ns] : parts)
    if (transfers == (part == "memory" || part == "l2")) sum += std::pow(ns, kNorm);
  return sum;
}

/// How long what these warps do takes one of them, if it is alone. `warps`: of a block.
double alone_ns(const GpuFacts& gpu, const WarpWork& work, const LoadTimes& loads, double warps) {
  const Counts& c = work.counts;
  const double shared = number(c, Count::shared_requests);
  const double chained =
      (number(c, Count::memory_requests) - shared) * (1 + kBeside) + shared * (1 + kBesideShared);  // instructions
  const double meetings = number(c, Count::barriers) * (kBarrierNs + kBarrierWarpNs * warps) +
                          number(c, Count::cluster_barriers) * kClusterNs + work.atomic_waits * gpu.l2_ns;
  // Without machine code: loads wait four at a time, asynchronous ones too, and every instruction for the one before.
  const double guessed = (number(c, Count::load_requests) * loads.mean_ns + shared * gpu.shared_ns) / kLoadsAhead +
                         chained * kDependentNs + number(c, Count::tensor_instructions) * kTensorNs;
  const double by_code =
      work.waits * loads.mean_ns + number(c, Count::copy_waits) * loads.far_ns + work.cycles / gpu.clock_hz * 1e9;
  return ((work.cycles > 0 ? by_code : guessed) + meetings) / std::max(1.0, work.warps);
}

/// How long the warps take whose role takes longest, times the rounds of blocks. A role that only some blocks have
/// prolongs those alone: one of the last round decides when the launch ends. Blocks begin one after another, so the
/// last one of the first round begins late.
double waiting_ns(const GpuFacts& gpu, const LaunchWork& work, const Fit& fit) {
  const LoadTimes loads = load_times(gpu, work);
  const auto blocks = static_cast<double>(work.blocks);
  std::vector<std::pair<double, double>> roles;  // ns, and how many blocks have it
  for (const WarpWork& role : work.roles)
    roles.emplace_back(alone_ns(gpu, role, loads, fit.warps), std::min(1.0, role.warps / blocks));
  if (roles.empty())
    roles.emplace_back(
        alone_ns(gpu, {blocks * fit.warps, work.counts, work.waits, work.cycles, work.atomic_waits}, loads, fit.warps),
        1);
  std::ranges::sort(roles, std::greater<>());
  double mean = 0, left = 1;
  for (const auto& [ns, share] : roles) mean += left * share * ns, left *= 1 - share;
  const double begun = std::max(0.0, std::min(blocks, fit.at_once) * kBlockNs - kBegunNs);
  return begun + (fit.rounds - 1) * mean + roles.front().first * work.longest + kFirstAndLast * gpu.memory_ns;
}

/// What the L2 takes for all that its clients ask for: what several of them want comes faster.
double l2_s(const GpuFacts& gpu, const LaunchWork& work) {
  const double all = l2_sectors(work.counts) * kSectorBytes, repeated = std::min(all, work.repeated_bytes);
  return (all - repeated) / gpu.l2_bytes_per_s + repeated / gpu.l2_repeated_bytes_per_s;
}

/// Atomic operations spread over the slices of the L2, but those on one sector wait for each other: the longer of the
/// two decides.
double atomics_ns(const GpuFacts& gpu, const LaunchWork& work, const Fit& fit) {
  const double spread = number(work.counts, Count::atomic_turns) * kAtomicNs / fit.busy / gpu.l2_slices;
  return std::max(spread, work.hottest_turns * kTurnNs);
}

/// Stores and loads between the blocks of clusters.
double cluster_s(const GpuFacts& gpu, const LaunchWork& work) {
  const double bytes = number(work.counts, Count::remote_sectors) * kSectorBytes;
  return gpu.cluster_bytes_per_s > 0 ? bytes / gpu.cluster_bytes_per_s : 0;
}

}  // namespace

double l1_passes(const Counts& counts) {
  // A warp whose neighbours lie together asks for 16 sectors at most: 16 bytes for each of 32 lanes.
  constexpr double kMostCoalesced = 16;
  const auto passes = [](double sectors, double requests) {
    return sectors > kMostCoalesced * requests ? sectors : std::max(requests, sectors / kSectorsACycle);
  };
  return passes(number(counts, Count::load_sectors), number(counts, Count::load_requests)) +
         passes(number(counts, Count::store_sectors), number(counts, Count::store_requests));
}

double l2_sectors(const Counts& counts) {
  return number(counts, Count::load_missed) + number(counts, Count::store_sectors) +
         number(counts, Count::bulk_sectors) + number(counts, Count::atomic_requests);
}

std::optional<PredictedTime> predict_time(const GpuFacts& gpu, const LaunchWork& work) {
  const int blocks = blocks_at_once(gpu, work.needs);
  if (blocks == 0 || work.blocks <= 0) return std::nullopt;
  const Counts& c = work.counts;
  const Fit fit = fit_of(gpu, work, blocks);
  const double cycles = gpu.clock_hz * gpu.multiprocessors * fit.busy / fit.tail / 1e9;  // of all, a nanosecond
  const bool tensor = c[Count::tensor_instructions] > 0;
  const double requests = number(c, Count::memory_requests), flops = tensor ? 0 : work.flops;
  const double guessed = requests * (1 + kBeside) + flops / 2 / gpu.warp_lanes + number(c, Count::tensor_instructions);
  const double issued = work.instructions > 0 ? work.instructions : guessed;
  // Few multiprocessors cannot draw all of the bandwidth: about a third of them can.
  const double drawn = std::min(1.0, fit.busy * 3);
  const double passes = work.l1_passes + number(c, Count::shared_wavefronts) + number(c, Count::shared_fills) +
                        number(c, Count::constant_words);
  PredictedTime time;
  time.waves = fit.waves;
  time.occupancy = static_cast<double>(blocks) * fit.warps / gpu.warps;
  time.parts = {
      {"memory", work.memory_bytes / (gpu.bytes_per_s * drawn) * 1e9},
      {"l2", l2_s(gpu, work) / drawn * 1e9},
      {"l1", passes / cycles},
      {"issue", issued / kIssued / cycles},
      {"arithmetic", arithmetic_s(gpu, work) * 1e9 / fit.busy * fit.tail},
      {"latency", waiting_ns(gpu, work, fit)},
      {"atomics", atomics_ns(gpu, work, fit)},
      {"cluster", cluster_s(gpu, work) / fit.busy * 1e9},
  };
  const double moved = overlapped(time.parts, true), rest = overlapped(time.parts, false);
  // Asynchronous copies go on while warps work.
  const double apart = c[Count::copy_waits] > 0 ? kAsyncNorm / kNorm : 1;
  time.ns = gpu.launch_ns + std::pow(std::pow(moved, apart) + std::pow(rest, apart), 1 / apart / kNorm);
  time.parts.emplace_back("launch", gpu.launch_ns);
  time.lo_ns = std::max(gpu.launch_ns, time.ns / kPredictedRange);
  time.hi_ns = time.ns * kPredictedRange;
  assert(std::isfinite(time.ns) && time.lo_ns <= time.ns && time.ns <= time.hi_ns);
  return time;
}

}  // namespace harness
