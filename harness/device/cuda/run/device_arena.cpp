#include "harness/device/cuda/run/device_arena.h"

namespace harness::cuda {

DevicePointer DeviceArena::reserve(std::int64_t bytes) {
  constexpr DevicePointer kPage = 4096;
  if (bytes > capacity_ || !memory_) {
    capacity_ = 0;
    memory_ = OwnedMemory();  // first out with the old: both may not fit
    memory_ = allocate(api_, static_cast<std::size_t>(bytes) + kPage);
    capacity_ = bytes;
  }
  return (memory_.get() + kPage - 1) / kPage * kPage;
}

}  // namespace harness::cuda
