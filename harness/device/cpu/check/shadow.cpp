#include "harness/device/cpu/check/shadow.h"

#include <sys/mman.h>

#include <cstring>
#include <utility>

#include "harness/core/device.h"

namespace harness::cpu {
namespace {

bool covers(std::uint8_t mask, std::uint8_t part) {
  return (part & ~mask) == 0;
}

int distance(const Access& a, const Access& b) {
  if (a.block != b.block) return 3;
  if (a.thread / 32 != b.thread / 32) return 2;
  return a.thread != b.thread;
}

/// The thread's own entry takes the new access in. The place of the newer one stands for both.
void merge(Access& entry, const Access& access) {
  const bool together = entry.epoch == access.epoch && entry.clock == access.clock && entry.atomic == access.atomic &&
                        entry.async == access.async;
  const std::uint8_t mask = together ? entry.mask | access.mask : access.mask;
  entry = access;
  entry.mask = mask;
}

}  // namespace

void Granule::note_read(const Access& access, std::uint32_t first_epoch) {
  for (Access& reader : readers)
    if (reader.epoch >= first_epoch && reader.by_same_thread(access)) return merge(reader, access);
  for (Access& reader : readers) {
    const bool passed = reader.block == access.block && reader.epoch < access.epoch && covers(access.mask, reader.mask);
    if (reader.epoch < first_epoch || passed) {
      reader = access;
      return;
    }
  }
  if (distance(readers[0], access) >= distance(readers[0], readers[1])) readers[1] = access;
}

void Granule::note_write(const Access& access, std::uint32_t first_epoch) {
  for (Access& reader : readers)
    if (covers(access.mask, reader.mask)) reader.epoch = 0;
  if (writers[1].by_same_thread(access)) std::swap(writers[0], writers[1]);
  if (covers(access.mask, writers[1].mask)) writers[1].epoch = 0;
  Access& newest = writers[0];
  if (newest.epoch >= first_epoch && newest.by_same_thread(access)) return merge(newest, access);
  if (newest.epoch >= first_epoch && !covers(access.mask, newest.mask)) writers[1] = newest;
  newest = access;
}

ZeroPages::ZeroPages(std::size_t bytes) : bytes_(bytes) {
  void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw DeviceMemoryExhausted("there is no memory for the shadow of a checked run");
  data_ = pages;
}

ZeroPages::~ZeroPages() {
  if (data_) munmap(data_, bytes_);
}

void ZeroPages::swap(ZeroPages& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
}

Shadow::Shadow(std::size_t bytes)
    : granules_((bytes / Granule::kBytes + 1) * sizeof(Granule)), written_(bytes / Granule::kBytes + 1) {}

void Shadow::set_written(std::size_t offset, std::size_t bytes) const {
  for_each_granule(offset, bytes, [&](std::size_t index, std::uint8_t mask) { written(index) |= mask; });
}

void Shadow::clear_written(std::size_t offset, std::size_t bytes) const {
  const std::size_t first = offset / Granule::kBytes, end = (offset + bytes + Granule::kBytes - 1) / Granule::kBytes;
  std::memset(&written(first), 0, end - first);
}

}  // namespace harness::cpu
