#include <fmt/format.h>

#include "harness/device/cpu/execute/block.h"
#include "harness/device/cpu/execute/indices.h"

// What a block does as one of a cluster.
namespace harness::cpu {

Cluster& BlockRunner::cluster() {
  if (cluster_) return *cluster_;
  const int threads = static_cast<int>(scheduler_.threads().size()) - scheduler_.exited();
  alone_.emplace(ClusterShape(launch_->launch.grid, {}), 0, threads, std::vector{shared_}, 0, false);
  alone_->adopt(scheduler_, checker());
  cluster_ = &*alone_;
  if (checker_) checker_->enter(cluster_);
  return *cluster_;
}

// Where no thread can go on, operations under way end; and the other blocks of the cluster have a turn.
void BlockRunner::run_what_is_woken() {
  const int threads = static_cast<int>(scheduler_.threads().size());
  while (!launch_->failed() && scheduler_.exited() < threads) {
    if (scheduler_.can_resume() || make_progress()) {
      if (cluster_) cluster_->progress();
      scheduler_.resume();
    } else if (!cluster_ || !cluster_->wait_for_turn(rank_)) {
      return;
    }
  }
}

void BlockRunner::cluster_arrive(const Site& site) {
  const Thread& self = scheduler_.current();
  if (const char* const wrong = cluster().arrive(rank_, self)) {
    report("trap", wrong, site);
    abandon();
  }
  if (checker_) checker_->cluster_arrive(self);
}

void BlockRunner::cluster_wait(const Site& site) {
  Thread& self = scheduler_.current();
  if (const char* const wrong = cluster().check_wait(rank_, self)) {
    report("trap", wrong, site);
    abandon();
  }
  if (!cluster_->passed(rank_, self)) scheduler_.wait(site, 0);
  if (checker_) checker_->cluster_waited(self);
}

void* BlockRunner::cluster_map(const void* address, unsigned rank, std::size_t bytes, const Site& site) {
  Cluster& cluster = this->cluster();
  const auto* const byte = static_cast<const char*>(address);
  const SharedMemory& own = cluster.member(rank_).memory;
  const auto refuse = [&](const std::string& why) {
    report("illegal_access", why, site);
    return true;
  };
  bool refused = false;
  if (rank >= cluster.shape().blocks())
    refused = refuse(fmt::format("there is no block {} in a cluster of {}", rank, cluster.shape().blocks()));
  else if (byte < own.begin || byte >= own.end)
    refused = refuse("an address outside of shared memory is mapped to another block's");
  else if (bytes > 0 && cluster.member(rank).life == Cluster::Life::not_begun)
    refused = refuse(fmt::format("uses shared memory of block {} of the cluster, which has not begun", rank));
  else if (bytes > 0 && cluster.member(rank).life == Cluster::Life::ended)
    refused = refuse(fmt::format("uses shared memory of block {} of the cluster, which has ended", rank));
  if (refused) abandon();
  return cluster.member(rank).memory.begin + (byte - own.begin);
}

void BlockRunner::leave_cluster(const Thread& thread) {
  if (!cluster_) return;
  if (checker_) checker_->cluster_exited(thread);
  cluster_->exited(rank_, thread);
}

}  // namespace harness::cpu
