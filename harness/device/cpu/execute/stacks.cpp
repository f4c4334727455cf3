#include "harness/device/cpu/execute/stacks.h"

#include <limits.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>

#include "harness/core/device.h"
#include "harness/system/rights.h"

namespace harness::cpu {
namespace {

constexpr std::size_t kPageBytes = StackPool::kGuardBytes;

[[noreturn]] void out_of_memory() {
  throw DeviceMemoryExhausted("there is no memory for the stacks of the cpu device");
}

/// The same advice for many pages by one call: of hundreds, each would enter the kernel by itself. How many of them,
/// from the first on, it was taken for; Linux before 6.15 takes none.
std::size_t advise(const std::vector<iovec>& pages, int advice) {
  std::size_t taken = 0;
  while (taken < pages.size()) {
    const std::size_t most = std::min<std::size_t>(pages.size() - taken, IOV_MAX);
    const long bytes = syscall(SYS_process_madvise, kThisProcess, pages.data() + taken, most, advice, 0);
    if (bytes <= 0) break;
    taken += static_cast<std::size_t>(bytes) / kPageBytes;
  }
  return taken;
}

/// Linux since 6.13 guards pages without cutting the mapping into hundreds, which each launch would pay for.
void guard(const std::vector<iovec>& pages) {
  constexpr int kGuardInstall = 102;  // MADV_GUARD_INSTALL
  for (std::size_t i = advise(pages, kGuardInstall); i < pages.size(); ++i)
    if (madvise(pages[i].iov_base, kPageBytes, kGuardInstall) != 0 &&
        mprotect(pages[i].iov_base, kPageBytes, PROT_NONE) != 0)
      out_of_memory();
}

}  // namespace

StackPool::StackPool(int stacks) : stacks_(stacks) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK;
  void* region = mmap(nullptr, kSpan * stacks, PROT_NONE, flags, -1, 0);
  if (region == MAP_FAILED) throw DeviceMemoryExhausted("there is no address space for the stacks of the cpu device");
  region_ = static_cast<std::byte*>(region);
  free_.reserve(stacks);
}

StackPool::~StackPool() {
  munmap(region_, kSpan * stacks_);
}

void StackPool::reset() {
  free_.clear();
  for (int i = opened_; i-- > 0;) free_.push_back(i);
}

void StackPool::open(int stacks) {
  if (stacks <= opened_) return;
  std::byte* const first = region_ + kSpan * opened_;
  const std::size_t bytes = kSpan * static_cast<std::size_t>(stacks - opened_);
  if (mprotect(first, bytes, PROT_READ | PROT_WRITE) != 0) out_of_memory();
  madvise(first, bytes, MADV_NOHUGEPAGE);  // a stack's first kilobytes, not two megabytes of neighbours
  std::vector<iovec> guards;
  for (; opened_ < stacks; ++opened_) guards.push_back({region_ + kSpan * opened_, kPageBytes});
  guard(guards);
}

void StackPool::touch() {
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE
  std::vector<iovec> tops;
  for (int i = 0; i < opened_; ++i) tops.push_back({region_ + kSpan * (i + 1) - kPageBytes, kPageBytes});
  advise(tops, kPopulateWrite);
  for (int i = 0; i < opened_; ++i) *(static_cast<volatile char*>(top(i)) - 1) = 0;
}

int StackPool::take() {
  const int stack = free_.back();
  free_.pop_back();
  return stack;
}

void* StackPool::top(int stack) const {
  const std::size_t color = static_cast<std::size_t>(stack % 16) * 192;
  return region_ + kSpan * (stack + 1) - color;
}

std::span<const std::byte> StackPool::memory() const {
  return {region_, kSpan * static_cast<std::size_t>(stacks_)};
}

bool StackPool::contains(std::uintptr_t address) const {
  return address - reinterpret_cast<std::uintptr_t>(region_) < memory().size();
}

}  // namespace harness::cpu
