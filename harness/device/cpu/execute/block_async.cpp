#include <fmt/format.h>

#include <cstring>

#include "harness/device/cpu/execute/block.h"
#include "harness/device/cpu/execute/mbarrier.h"
#include "harness/device/cpu/execute/tensor_copy.h"

// Operations that go on while the thread that issued them does other things: mbarriers, copies, wgmma.
namespace harness::cpu {
namespace {

constexpr std::uintptr_t kWindowAlignment = 1024;  // of the largest swizzle atom
constexpr int kLanes = 32;

/// Groups of stores are kept by thread, groups of matrix products by warp.
int issuer_of_warp(const Thread& thread) {
  return -1 - thread.linear / kLanes;
}

/// What the lanes bring to wgmma and its waits.
struct WgmmaCall {
  BlockRunner* runner;
  const HarnessCpuWgmma* instruction;
  int pending;
};

char* window_of(const SharedMemory& shared) {
  const auto begin = reinterpret_cast<std::uintptr_t>(shared.begin);
  return shared.begin - begin % kWindowAlignment;
}

}  // namespace

void BlockRunner::refuse(const std::string& what, const Site& site) {
  report("trap", what, site);
  abandon();
}

void BlockRunner::require(const std::string& problem, const Site& site) {
  if (!problem.empty()) refuse(std::string(site.name) + ": " + problem, site);
}

std::uint32_t BlockRunner::shared_address(const void* shared, std::size_t bytes, const Site& site) {
  const char* const at = static_cast<const char*>(shared);
  if (at < shared_.begin || bytes > static_cast<std::size_t>(shared_.end - shared_.begin) || at > shared_.end - bytes)
    refuse(std::string(site.name) + ": the address is not one of the block's shared memory", site);
  return static_cast<std::uint32_t>(at - window_of(shared_));
}

void BlockRunner::note_access(const void* address, std::size_t bytes, int kind, const void* from) {
  if (checker_ && !checker_->access(reinterpret_cast<std::uintptr_t>(address), bytes, kind, from))
    stop("illegal_access");
  if (counter_) counter_->bulk(reinterpret_cast<std::uintptr_t>(address), bytes, kind == harness_cpu_write, from);
}

// ---- mbarriers

void BlockRunner::mbarrier_init(void* barrier, unsigned arrivals, const Site& site) {
  shared_address(barrier, sizeof(std::uint64_t), site);
  require(Mbarrier(barrier).init(arrivals), site);
}

void BlockRunner::mbarrier_arrive(void* barrier, unsigned arrivals, unsigned bytes, const Site& site) {
  shared_address(barrier, sizeof(std::uint64_t), site);
  if (checker_) checker_->arrive_warp(scheduler_.current());
  if (counter_) counter_->copies().arrive(scheduler_.current().linear, barrier);
  require(Mbarrier(barrier).arrive(arrivals, bytes), site);
}

void BlockRunner::mbarrier_arrive_at(void* barrier, unsigned rank, const Site& site) {
  shared_address(barrier, sizeof(std::uint64_t), site);
  void* const there = cluster_map(barrier, rank, sizeof(std::uint64_t), site);
  if (checker_) checker_->arrive_warp_at(*cluster().member(rank).checker, scheduler_.current());
  if (counter_ && there == barrier) counter_->copies().arrive(scheduler_.current().linear, barrier);
  require(Mbarrier(there).arrive(1, 0), site);
}

bool BlockRunner::mbarrier_test(void* barrier, unsigned parity, const Site& site) {
  shared_address(barrier, sizeof(std::uint64_t), site);
  require(Mbarrier(barrier).problem(), site);
  if (!Mbarrier(barrier).has_completed(parity)) {
    yield();
    // Everybody has had several turns and only asks: late loads are late enough now.
    if (++fruitless_tests_ > 4 * scheduler_.threads().size()) {
      fruitless_tests_ = 0;
      async_.complete_a_load();
    }
    if (!Mbarrier(barrier).has_completed(parity)) return false;
  }
  passed_mbarrier(scheduler_.current());
  return true;
}

void BlockRunner::mbarrier_wait(void* barrier, unsigned parity, const Site& site) {
  shared_address(barrier, sizeof(std::uint64_t), site);
  require(Mbarrier(barrier).problem(), site);
  Thread& self = scheduler_.current();
  if (!Mbarrier(barrier).has_completed(parity)) {
    if (counter_) counter_->arrive(self);
    mbarrier_waits_.push_back({&self, barrier, parity});
    scheduler_.wait(site, 0);
  }
  passed_mbarrier(self);
}

void BlockRunner::passed_mbarrier(const Thread& thread) {
  if (checker_) checker_->join_warp(thread);
}

bool BlockRunner::wake_waiters() {
  const std::size_t before = mbarrier_waits_.size();
  std::erase_if(mbarrier_waits_, [&](const MbarrierWait& wait) {
    if (!Mbarrier(wait.barrier).has_completed(wait.parity)) return false;
    scheduler_.wake(*wait.thread);
    return true;
  });
  return mbarrier_waits_.size() < before;
}

// No thread can go on. Late loads are late enough now.
bool BlockRunner::make_progress() {
  do
    if (wake_waiters()) return true;
  while (async_.complete_a_load() && !launch_->failed());
  return false;
}

// ---- cp.async

void BlockRunner::copy_async(void* to, const void* from, std::size_t bytes, std::size_t valid, const void* site) {
  if (counter_) counter_->copies().copy(scheduler_.current().linear);
  copies_.add(scheduler_.current().linear, [=, this] {
    note_access(to, bytes, harness_cpu_write, site);
    std::memcpy(to, from, valid);
    std::memset(static_cast<char*>(to) + valid, 0, bytes - valid);
  });
}

void BlockRunner::commit_copies() {
  if (counter_) counter_->copies().commit(scheduler_.current().linear);
  copies_.commit(scheduler_.current().linear);
}

void BlockRunner::wait_for_copies(int groups) {
  const int self = scheduler_.current().linear;
  if (groups < 0) copies_.wait_for_all(self);
  else copies_.wait(self, groups);
}

// ---- bulk copies

void BlockRunner::load(std::size_t bytes, void* barrier, const Site& site, AsyncWork::Action copy) {
  shared_address(barrier, sizeof(std::uint64_t), site);
  const Thread& self = scheduler_.current();
  if (counter_) counter_->copies().copy(self.linear, barrier);
  async_.load([this, bytes, barrier, site, &self, copy = std::move(copy)] {
    copy();
    if (checker_) checker_->arrive_warp(self);
    complete(bytes, barrier, site);
  });
}

void BlockRunner::complete(std::size_t bytes, void* barrier, const Site& site) {
  const std::string problem = Mbarrier(barrier).complete(static_cast<std::uint32_t>(bytes));
  if (!problem.empty()) launch_->fail(fmt::format("trap: {}:{}: {}: {}", site.file, site.line, site.name, problem));
}

void BlockRunner::tensor_load(void* shared, const HarnessCpuTensorMap& map, const int* coordinates, void* barrier,
                              const Site& site, const void* from) {
  const std::size_t bytes = box_bytes(map);
  const std::uint32_t address = shared_address(shared, bytes, site);
  if (address % 128 != 0) refuse(std::string(site.name) + ": the destination is not aligned to 128 bytes", site);
  std::vector<BoxRow> rows = rows_of_box(map, coordinates);
  for (const BoxRow& row : rows) note_access(row.global + row.begin, row.end - row.begin, harness_cpu_read, from);
  note_access(shared, bytes, harness_cpu_async_write, from);
  load(bytes, barrier, site,
       [map, rows = std::move(rows), window = window_of(shared_), address] { load_box(map, rows, window, address); });
}

// Every destination is written, and its barrier told, when the one copy ends: the others' blocks look at their barriers
// when it is their turn.
void BlockRunner::tensor_load_multicast(void* shared, const HarnessCpuTensorMap& map, const int* coordinates,
                                        void* barrier, unsigned blocks, const Site& site, const void* from) {
  const std::size_t bytes = box_bytes(map);
  if (shared_address(shared, bytes, site) % 128 != 0)
    refuse(std::string(site.name) + ": the destination is not aligned to 128 bytes", site);
  shared_address(barrier, sizeof(std::uint64_t), site);
  if (blocks == 0 || blocks >> cluster().shape().blocks() != 0)
    refuse(fmt::format("{}: the mask {:#x} names blocks that a cluster of {} does not have", site.name, blocks,
                       cluster().shape().blocks()),
           site);
  std::vector<BoxRow> rows = rows_of_box(map, coordinates);
  for (const BoxRow& row : rows) note_access(row.global + row.begin, row.end - row.begin, harness_cpu_read, from);
  struct Destination {
    char* window;
    std::uint32_t address;
    void* barrier;
    BlockChecker* checker;
  };
  std::vector<Destination> destinations;
  for (unsigned rank = 0; rank < cluster().shape().blocks(); ++rank) {
    if ((blocks >> rank & 1) == 0) continue;
    char* const there = static_cast<char*>(cluster_map(shared, rank, bytes, site));
    if (checker_ && !checker_->access(reinterpret_cast<std::uintptr_t>(there), bytes, harness_cpu_async_write, from))
      stop("illegal_access");
    char* const window = window_of(cluster().member(rank).memory);
    destinations.push_back({window, static_cast<std::uint32_t>(there - window),
                            cluster_map(barrier, rank, sizeof(std::uint64_t), site), cluster().member(rank).checker});
  }
  const Thread& self = scheduler_.current();
  if (counter_) counter_->copies().copy(self.linear, barrier);
  async_.load([this, map, rows = std::move(rows), destinations = std::move(destinations), bytes, site, &self] {
    for (const Destination& each : destinations) {
      load_box(map, rows, each.window, each.address);
      if (checker_) checker_->arrive_warp_at(*each.checker, self);
      complete(bytes, each.barrier, site);
    }
  });
}

void BlockRunner::tensor_store(const HarnessCpuTensorMap& map, const int* coordinates, const void* shared,
                               const Site& site, const void* from) {
  const std::size_t bytes = box_bytes(map);
  const std::uint32_t address = shared_address(shared, bytes, site);
  if (address % 128 != 0) refuse(std::string(site.name) + ": the source is not aligned to 128 bytes", site);
  std::vector<BoxRow> rows = rows_of_box(map, coordinates);
  note_access(shared, bytes, harness_cpu_async_read, from);
  for (const BoxRow& row : rows) note_access(row.global + row.begin, row.end - row.begin, harness_cpu_write, from);
  async_.add(scheduler_.current().linear, [map, rows = std::move(rows), window = window_of(shared_), address] {
    store_box(map, rows, window, address);
  });
}

void BlockRunner::check_bulk(const void* shared, const void* global, std::size_t bytes, const Site& site) {
  shared_address(shared, bytes, site);
  const auto both = reinterpret_cast<std::uintptr_t>(shared) | reinterpret_cast<std::uintptr_t>(global);
  if ((both | bytes) % 16 != 0) refuse(std::string(site.name) + ": addresses and sizes must be multiples of 16", site);
}

void BlockRunner::bulk_load(void* shared, const void* global, std::size_t bytes, void* barrier, const Site& site,
                            const void* from) {
  check_bulk(shared, global, bytes, site);
  note_access(global, bytes, harness_cpu_read, from);
  note_access(shared, bytes, harness_cpu_async_write, from);
  load(bytes, barrier, site, [shared, global, bytes] { std::memcpy(shared, global, bytes); });
}

void BlockRunner::bulk_store(void* global, const void* shared, std::size_t bytes, const Site& site, const void* from) {
  check_bulk(shared, global, bytes, site);
  note_access(shared, bytes, harness_cpu_async_read, from);
  note_access(global, bytes, harness_cpu_write, from);
  async_.add(scheduler_.current().linear, [shared, global, bytes] { std::memcpy(global, shared, bytes); });
}

void BlockRunner::bulk_commit() {
  async_.commit(scheduler_.current().linear);
}

void BlockRunner::bulk_wait(int pending) {
  async_.wait(scheduler_.current().linear, pending);
}

void BlockRunner::proxy_fence() {
  if (checker_) checker_->proxy_fence();
}

// ---- wgmma

void BlockRunner::wgmma(const HarnessCpuWgmma& instruction, const Site& site, const void* from) {
  require(wgmma_problem(instruction), site);
  if (checker_) {  // each lane answers for its share of what the warp reads
    const int lane = scheduler_.current().linear % kLanes, bytes = element_bytes(instruction);
    const auto read = [&](std::uint64_t descriptor, int rows, bool mn_major) {
      const OperandUnits units(rows, depth_of(instruction), mn_major, bytes);
      for (int i = lane; i < units.count(); i += kLanes) {
        const auto [row, k] = units.begins_at(i);
        note_access(window_of(shared_) + operand_address(descriptor, row, k, mn_major, bytes), kUnitBytes,
                    harness_cpu_async_read, from);
      }
    };
    read(instruction.b, instruction.n, instruction.b_transposed);
    if (!instruction.a_registers) read(instruction.a, 64, false);
  }
  WgmmaCall call{this, &instruction, 0};
  together(
      ~0u, &call,
      [](const Records& records) { static_cast<const WgmmaCall*>(records[0])->runner->issue_wgmma(records); }, site);
}

void BlockRunner::issue_wgmma(const Records& records) {
  WgmmaWork work;
  for (int lane = 0; lane < kLanes; ++lane) {
    work.lanes[lane] = *static_cast<const WgmmaCall*>(records[lane])->instruction;
    if (const unsigned* a = work.lanes[lane].a_registers) std::memcpy(work.a_registers[lane].data(), a, 16);
  }
  const Thread& self = scheduler_.current();
  work.warp_in_group = self.linear / kLanes % 4;
  async_.add(issuer_of_warp(self), [work, window = window_of(shared_)] { execute_wgmma(work, window); });
}

void BlockRunner::wgmma_commit(const Site& site) {
  WgmmaCall call{this, nullptr, 0};
  together(
      ~0u, &call,
      [](const Records& records) {
        BlockRunner& runner = *static_cast<const WgmmaCall*>(records[0])->runner;
        runner.async_.commit(issuer_of_warp(runner.scheduler_.current()));
      },
      site);
}

void BlockRunner::wgmma_wait(int pending, const Site& site) {
  WgmmaCall call{this, nullptr, pending};
  together(
      ~0u, &call,
      [](const Records& records) {
        const WgmmaCall& first = *static_cast<const WgmmaCall*>(records[0]);
        first.runner->async_.wait(issuer_of_warp(first.runner->scheduler_.current()), first.pending);
      },
      site);
}

}  // namespace harness::cpu
