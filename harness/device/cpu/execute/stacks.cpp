#include "harness/device/cpu/execute/stacks.h"

#include <sys/mman.h>

#include "harness/core/device.h"

namespace harness::cpu {
namespace {

constexpr std::size_t kGuardBytes = 4096;
constexpr std::size_t kSpan = kGuardBytes + StackPool::kStackBytes;

[[noreturn]] void out_of_memory() {
  throw DeviceMemoryExhausted("there is no memory for the stacks of the cpu device");
}

/// Linux since 6.13 guards pages without cutting the mapping into hundreds, which each launch would pay for.
void guard(std::byte* page) {
  constexpr int kGuardInstall = 102;  // MADV_GUARD_INSTALL
  if (madvise(page, kGuardBytes, kGuardInstall) != 0 && mprotect(page, kGuardBytes, PROT_NONE) != 0) out_of_memory();
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
  for (; opened_ < stacks; ++opened_) guard(region_ + kSpan * opened_);
}

void StackPool::touch() {
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

bool StackPool::contains(std::uintptr_t address) const {
  return address - reinterpret_cast<std::uintptr_t>(region_) < kSpan * static_cast<std::size_t>(stacks_);
}

void* StackPool::bottom(int stack) const {
  return region_ + kSpan * stack + kGuardBytes;
}

}  // namespace harness::cpu
