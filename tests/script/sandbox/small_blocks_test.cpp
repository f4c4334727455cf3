#include "harness/script/sandbox/small_blocks.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>

using namespace harness::script;

TEST_CASE("small blocks do not overlap, and those that were freed are given again") {
  SmallBlocks blocks;
  std::map<std::uintptr_t, std::size_t> held;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t i = 0; i < 2000; ++i) {
      const std::size_t size = 1 + i * 7 % SmallBlocks::kLargest;
      void* block = blocks.allocate(size);
      REQUIRE(block != nullptr);
      std::memset(block, 0x5a, size);
      const auto at = reinterpret_cast<std::uintptr_t>(block);
      CHECK(at % alignof(std::max_align_t) == 0);
      const auto next = held.lower_bound(at);
      CHECK((next == held.end() || at + size <= next->first));
      CHECK((next == held.begin() || std::prev(next)->first + std::prev(next)->second <= at));
      held[at] = size;
    }
    std::erase_if(held, [&](const auto& each) {
      const bool freed = each.first % 32 == 0;
      if (freed) blocks.deallocate(reinterpret_cast<void*>(each.first), each.second);
      return freed;
    });
  }
}

TEST_CASE("a block of the same step takes the place of the one freed last") {
  SmallBlocks blocks;
  void* first = blocks.allocate(33);
  void* second = blocks.allocate(48);
  blocks.deallocate(second, 48);
  blocks.deallocate(first, 33);
  CHECK(blocks.allocate(40) == first);
  CHECK(blocks.allocate(40) == second);
  CHECK(blocks.allocate(40) != first);
}
