#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/json.h"

// What a session that sees every access counts of a plan: how a GPU would have served the accesses of its warps. Plain
// numbers, as the process that ran the candidate can say them; core/profile.h is what becomes of them.
namespace harness {

/// What is counted at each place in the code. Sectors have 32 bytes, requests are those of a warp.
enum class Count : std::size_t {
  load_requests,        // loads of global memory
  load_sectors,         // that they touch
  load_missed,          // of these not in the block's share of the L1
  load_width,           // bytes that a lane asks for, added up over these loads
  store_requests,       // stores to global memory
  store_sectors,        // that they touch
  store_width,          // bytes that a lane stores, added up over these stores
  least_sectors,        // that would hold what the loads and stores ask for
  bytes,                // different ones that they ask for
  bulk_sectors,         // that bulk and tensor copies move
  shared_requests,      // loads and stores of shared memory
  shared_wavefronts,    // passes that they take
  shared_conflicts,     // of these beyond the least
  shared_fills,         // of the requests: asynchronous copies, whose bytes come past the pipe. No pass is theirs
  constant_words,       // of 4 bytes, different ones that reads of `__constant__` memory ask for: a pass each
  remote_requests,      // loads, stores and atomic operations on shared memory of other blocks of the cluster
  remote_sectors,       // of 32 bytes, that they touch there
  shuffles,             // by warps: they take a pass each, too
  atomics,              // atomic operations on global memory, by lanes
  atomic_requests,      // by warps
  atomic_turns,         // for each request: lanes on the address that most of them want
  memory_requests,      // all requests above
  memory_lanes,         // lanes that take part in them
  barriers,             // of blocks, by warps
  barrier_work,         // of those warps since their last one: their requests and passes, weighed (work_of())
  barrier_longest,      // for each of them the most that a warp which met there had
  cluster_barriers,     // of clusters, by warps
  copy_waits,           // by warps, for asynchronous copies that began after the last such wait
  group_waits,          // by warps, for groups of cp.async, whether any began or not
  tensor_instructions,  // by warps
  uneven_requests,      // at places where the lanes of a warp came differently often: matched by guess
  count
};
inline constexpr std::size_t kCounts = static_cast<std::size_t>(Count::count);

struct Counts {
  std::array<std::int64_t, kCounts> of{};

  std::int64_t& operator[](Count which) { return of[static_cast<std::size_t>(which)]; }
  std::int64_t operator[](Count which) const { return of[static_cast<std::size_t>(which)]; }
  Counts& operator+=(const Counts& other) { return add(other, 1); }
  Counts& add(const Counts& other, std::int64_t times);
  /// Each times `all` / `seen`, rounded.
  Counts scaled(std::int64_t all, std::int64_t seen) const;
  bool operator==(const Counts&) const = default;
};

/// What warps have to do for these, in quarters of a cycle of a multiprocessor's pipes: a sector of global memory takes
/// one and a request at least four, a pass of shared memory and a tensor instruction four, a turn of an atomic sixteen.
/// Misses are left out: which warp has them depends on who comes first.
std::int64_t work_of(const Counts& counts);

/// How a session counts. It is deterministic: the same plan on the same image gives the same numbers everywhere, if
/// its blocks do not depend on each other or `run_all` is set.
struct CountingRequest {
  int blocks = 16;  // of a launch that are counted, at most
  /// The others run too, and all one after another in a fixed order. Else the last launch runs only those that are
  /// counted, several at a time: what they wait for must not be another block.
  bool run_all = false;
  /// Which blocks of many are counted is a function of this.
  std::uint64_t seed = 0;
};

/// A place in the code of a candidate: an offset into its artifact.
struct CountedPlace {
  std::uint64_t site = 0;
  Counts counts;  // scaled to all blocks
};

/// Warps that come to the same places, and to no others: they do the same work.
struct CountedRole {
  std::int64_t warps = 0;                                          // scaled to all blocks
  std::vector<std::pair<std::uint64_t, std::int64_t>> requests{};  // by site, ascending: what they make together
};

/// The 32 bytes of global memory on which atomic operations wait for each other the longest. What several counted
/// blocks want, those that they stand for are taken to want as well.
struct HottestAddress {
  std::uint64_t site = 0;                // one of the places that want it
  std::int64_t lanes = 0, requests = 0;  // turns by lanes on the same word, and by warps; 0: there are none
};

/// Different sectors.
struct TouchedSectors {
  std::int64_t touched = 0;
  std::int64_t loaded = 0;  // of these, by a block that had not stored them itself: they must come from somewhere
  std::int64_t stored = 0;

  TouchedSectors& operator+=(const TouchedSectors& other);
};

/// What the blocks touched of one buffer of the image.
struct CountedBuffer {
  std::int64_t buffer = 0;  // its index in the layout
  TouchedSectors by_block;  // within a block, added up over all blocks
  TouchedSectors together;  // of the blocks that were counted
};

struct CountedLaunch {
  std::int64_t step = 0;  // of the plan
  std::int64_t blocks = 0, counted_blocks = 0;
  /// Volatile accesses of global memory, or a sector that one block loads and another one changes: blocks may depend on
  /// each other. Where they have atomic operations, they do if somebody wants to know what was there before.
  bool blocks_meet = false, atomics = false;
  HottestAddress hottest;
  std::int64_t work = 0, heaviest = 0;  // work_of() all blocks, and of the counted one that has most
  std::vector<CountedPlace> places;
  std::vector<CountedRole> roles;  // the most frequent first
  std::vector<CountedBuffer> buffers;
};

void to_json(json& to, const CountingRequest& value);
void from_json(const json& from, CountingRequest& value);
void to_json(json& to, const CountedLaunch& value);
/// Throws json::exception for what is no such value: negative numbers are none either.
void from_json(const json& from, CountedLaunch& value);

}  // namespace harness
