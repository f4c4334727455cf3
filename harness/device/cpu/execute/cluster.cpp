#include "harness/device/cpu/execute/cluster.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/device/cpu/execute/lineup.h"

namespace harness::cpu {
namespace {

HarnessCpuIndex as_index(const Dim3& dim) {
  return {dim.x, dim.y, dim.z};
}

}  // namespace

ClusterShape::ClusterShape(const Dim3& grid, const Dim3& cluster)
    : size_(cluster), clusters_{grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z} {}

HarnessCpuIndex ClusterShape::block(std::uint64_t cluster, unsigned rank) const {
  const auto x = static_cast<unsigned>(cluster % clusters_.x);
  const auto y = static_cast<unsigned>(cluster / clusters_.x % clusters_.y);
  const auto z = static_cast<unsigned>(cluster / clusters_.x / clusters_.y);
  return {x * size_.x + rank % size_.x, y * size_.y + rank / size_.x % size_.y,
          z * size_.z + rank / (size_.x * size_.y)};
}

HarnessCpuIndex ClusterShape::index(int which, const HarnessCpuIndex& block) const {
  switch (which) {
    case harness_cpu_cluster_block:
      return {block.x % size_.x, block.y % size_.y, block.z % size_.z};
    case harness_cpu_cluster_dim:
      return as_index(size_);
    case harness_cpu_cluster_of_grid:
      return {block.x / size_.x, block.y / size_.y, block.z / size_.z};
    default:
      return as_index(clusters_);
  }
}

Cluster::Cluster(const ClusterShape& shape, std::uint64_t number, int threads,
                 const std::vector<SharedMemory>& memories, std::size_t dynamic_bytes, bool reversed)
    : shape_(shape),
      dynamic_bytes_(dynamic_bytes),
      reversed_(reversed),
      turns_(static_cast<int>(shape.blocks())),
      members_(shape.blocks()),
      states_(shape.blocks()),
      alive_(threads * static_cast<int>(shape.blocks())),
      missing_(alive_) {
  for (unsigned rank = 0; rank < shape_.blocks(); ++rank) {
    members_[rank].memory = memories[static_cast<std::size_t>(worker_of(rank))];
    members_[rank].block = shape_.block(number, rank);
  }
}

const Cluster::Member* Cluster::owner(std::uintptr_t address) const {
  const auto* const byte = reinterpret_cast<const char*>(address);
  const auto member = std::find_if(members_.begin(), members_.end(), [&](const Member& member) {
    return byte >= member.memory.begin && byte < member.memory.end;
  });
  return member == members_.end() ? nullptr : &*member;
}

void Cluster::poison() const {
  for (const Member& member : members_) member.memory.poison(dynamic_bytes_);
}

bool Cluster::begin(unsigned rank, Scheduler& scheduler, BlockChecker* checker) {
  Member& member = members_[rank];
  member.scheduler = &scheduler;
  member.checker = checker;
  member.life = Life::running;
  idle_turns_ = 0;
  return member.memory.poisoned(dynamic_bytes_);
}

void Cluster::end(unsigned rank) {
  Member& member = members_[rank];
  member.memory.poison(dynamic_bytes_);
  member.scheduler = nullptr;
  member.checker = nullptr;
  member.life = Life::ended;
  idle_turns_ = 0;
}

const Cluster::Member* Cluster::touched_after_end() const {
  const auto member = std::find_if(members_.begin(), members_.end(),
                                   [&](const Member& member) { return !member.memory.poisoned(dynamic_bytes_); });
  return member == members_.end() ? nullptr : &*member;
}

bool Cluster::wait_for_turn(unsigned rank) {
  if (++idle_turns_ > shape_.blocks()) return false;
  turns_.pass(worker_of(rank));
  return true;
}

void Cluster::pass(unsigned rank) {
  idle_turns_ = 0;
  turns_.pass(worker_of(rank));
}

Cluster::BarrierState& Cluster::state(unsigned rank, const Thread& thread) {
  auto& states = states_[rank];
  if (states.size() <= static_cast<std::size_t>(thread.linear))
    states.resize(static_cast<std::size_t>(thread.linear) + 1);
  return states[static_cast<std::size_t>(thread.linear)];
}

const char* Cluster::arrive(unsigned rank, const Thread& thread) {
  BarrierState& self = state(rank, thread);
  if (self.arrivals != self.waits) return "arrives at the cluster's barrier twice and has not waited in between";
  ++self.arrivals;
  one_less();
  return nullptr;
}

const char* Cluster::check_wait(unsigned rank, const Thread& thread) {
  const BarrierState& self = state(rank, thread);
  return self.arrivals == self.waits ? "waits at the cluster's barrier and has not arrived there" : nullptr;
}

bool Cluster::passed(unsigned rank, Thread& thread) {
  if (phase_ > state(rank, thread).waits++) return true;
  waiting_.push_back({rank, &thread});
  return false;
}

void Cluster::exited(unsigned rank, const Thread& thread) {
  --alive_;
  if (state(rank, thread).arrivals <= phase_) one_less();
}

void Cluster::one_less() {
  if (--missing_ > 0) return;
  ++phase_;
  missing_ = alive_;
  for (const Waiting& waiting : waiting_) members_[waiting.rank].scheduler->wake(*waiting.thread);
  waiting_.clear();
}

std::string Cluster::describe_lineups() const {
  std::string text;
  for (const Member& member : members_)
    if (member.scheduler)
      text += (text.empty() ? "" : "; ") + describe_lineup(member.scheduler->threads(), member.block);
  return text;
}

}  // namespace harness::cpu
