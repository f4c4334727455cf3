#include "harness/device/cpu/count/touched.h"

namespace harness::cpu {

void SharedSectors::clear() {
  for (std::size_t i = 0; i < size_; ++i) marks_[i].store(0, std::memory_order_relaxed);
}

Touched::Touched(SharedSectors& shared, const std::vector<ImageBuffer>& buffers)
    : shared_(shared), buffers_(buffers), pages_(shared.size() / kPageSectors + 1), counted_(buffers.size()) {
  std::int64_t end = 0;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    counted_[i].buffer = static_cast<std::int64_t>(i);
    if (buffers_[i].offset < end) continue;  // a view
    order_.push_back(i);
    end = buffers_[i].offset + buffers_[i].bytes;
  }
}

std::vector<CountedBuffer> Touched::take_buffers() {
  std::vector<CountedBuffer> taken = counted_;
  for (CountedBuffer& buffer : counted_) buffer = {buffer.buffer, {}, {}};
  return taken;
}

std::size_t Touched::buffer_of(std::uint64_t sector) {
  const auto begin = static_cast<std::int64_t>(sector * kSectorBytes), end = begin + std::int64_t{kSectorBytes};
  const auto holds = [&](std::size_t i) {
    return i < order_.size() && buffers_[order_[i]].offset < end &&
           begin < buffers_[order_[i]].offset + buffers_[order_[i]].bytes;
  };
  for (std::size_t i = 0; i < order_.size() && !holds(near_); ++i) near_ = i;
  return holds(near_) ? order_[near_] : buffers_.size();
}

/// One block loads what another one adds to.
void Touched::meet_adders(std::uint64_t sector, Access access, std::uint32_t sector_state) {
  using Mark = SharedSectors::Mark;
  const bool adds = access == add;
  const auto before = shared_.mark(sector, adds ? Mark::added : Mark::read);
  const bool did_other = (sector_state & 1u << (adds ? load : add)) != 0;  // this block, and so the mark may be its own
  blocks_meet_ = blocks_meet_ || (!did_other && (before & (adds ? Mark::read : Mark::added)) != 0);
}

/// The first time that the block touches the sector, or does so in this way.
void Touched::first(std::uint64_t sector, Access access, std::uint32_t& sector_state) {
  const bool fresh = sector_state >> kBlockShift != block_, store = access == Access::store;
  if (fresh) sector_state = block_ << kBlockShift | (store ? 0 : kLoadedFirst);
  const bool loaded_first = (sector_state & kLoadedFirst) != 0;
  if (!store) meet_adders(sector, access, sector_state);
  sector_state |= 1u << access;
  const std::size_t buffer = buffer_of(sector);
  if (buffer == buffers_.size()) return;
  using Mark = SharedSectors::Mark;
  CountedBuffer& counted = counted_[buffer];
  if (fresh) {
    const auto before = shared_.mark(sector, store ? Mark::touched : Mark::touched | Mark::loaded);
    counted.by_block.touched += weight_;
    counted.together.touched += (before & Mark::touched) == 0;
    if (!store) {
      counted.by_block.loaded += weight_;
      counted.together.loaded += (before & Mark::loaded) == 0;
      if ((before & Mark::loaded) != 0) shared_.mark(sector, Mark::loaded_again);
      blocks_meet_ = blocks_meet_ || (before & Mark::stored) != 0;
    }
  }
  if (!store) return;
  const auto before = shared_.mark(sector, Mark::stored);
  counted.by_block.stored += weight_;
  counted.together.stored += (before & Mark::stored) == 0;
  blocks_meet_ = blocks_meet_ || (before & (loaded_first ? Mark::loaded_again : Mark::loaded)) != 0;
}

}  // namespace harness::cpu
