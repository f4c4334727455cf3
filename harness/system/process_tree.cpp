#include "harness/system/process_tree.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "harness/system/files.h"
#include "harness/system/process_stat.h"

namespace harness {
namespace {

constexpr int kState = 3, kParent = 4, kUserTime = 14, kSystemTime = 15;

std::vector<long> numbers_in(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), closedir);
  std::vector<long> numbers;
  if (!entries) return numbers;
  while (const dirent* entry = readdir(entries.get()))
    if (const long number = std::atol(entry->d_name); number > 0) numbers.push_back(number);
  return numbers;
}

std::vector<long> with_descendants(long root) {
  std::multimap<long, long> children;
  for (const long process : numbers_in("/proc"))
    if (const long parent = std::atol(process_stat(process, kParent).c_str()); parent > 0)
      children.emplace(parent, process);
  std::vector<long> found{root};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto [begin, end] = children.equal_range(found[i]);
    for (auto child = begin; child != end; ++child) found.push_back(child->second);
  }
  return found;
}

// "run ns, ns waited for a core, slices"; where the kernel keeps none, what `stat` has in ticks.
ProcessTree::Thread times_of(long process, long thread) {
  std::istringstream numbers(read_file_if_any(fmt::format("/proc/{}/task/{}/schedstat", process, thread)).value_or(""));
  double ran_ns = 0, waited_ns = 0;
  if (numbers >> ran_ns >> waited_ns && ran_ns > 0) return {ran_ns * 1e-9, waited_ns * 1e-9};
  const double ticks = std::atof(thread_stat(process, thread, kUserTime).c_str()) +
                       std::atof(thread_stat(process, thread, kSystemTime).c_str());
  return {ticks / static_cast<double>(sysconf(_SC_CLK_TCK)), 0};
}

}  // namespace

ProcessTree look_at_tree(pid_t root) {
  ProcessTree tree;
  const std::string state = process_stat(root, kState);
  tree.stopped = state == "T" || state == "t";
  for (const long process : with_descendants(root)) {
    for (const long thread : numbers_in(fmt::format("/proc/{}/task", process))) {
      tree.threads[thread] = times_of(process, thread);
      tree.blocked = tree.blocked || thread_stat(process, thread, kState) == "D";
    }
  }
  return tree;
}

}  // namespace harness
