#include "harness/device/cpu/check/ordering.h"

#include <catch2/catch.hpp>

#include "harness/device/cpu/check/source_lines.h"

using namespace harness::cpu;

namespace {

struct TwoBlocks {
  TwoBlocks() {
    launch.begin(false);
    first.begin(launch, 0, 64);
    second.begin(launch, 1, 64);
  }
  LaunchOrder launch;
  BlockOrder first, second;
};

Access at(const BlockOrder& block, int thread, bool atomic = false) {
  return block.stamp(thread, 16, atomic);
}

Access masked(int thread, std::uint8_t mask, std::uint32_t epoch = 5) {
  Access access;
  access.thread = static_cast<std::uint16_t>(thread);
  access.mask = mask;
  access.epoch = epoch;
  return access;
}

}  // namespace

TEST_CASE("a barrier orders a block's threads, and no other block's") {
  TwoBlocks blocks;
  const Access access = at(blocks.first, 3);
  CHECK(blocks.first.ordered(access, 3));
  CHECK_FALSE(blocks.first.ordered(access, 40));
  blocks.first.barrier();
  CHECK(blocks.first.ordered(access, 40));
  CHECK_FALSE(blocks.second.ordered(access, 3));
}

TEST_CASE("a warp collective orders the lanes that take part, and what they knew of others") {
  TwoBlocks blocks;
  const Access access = at(blocks.first, 0);
  blocks.first.collective(0, 0b0011);
  CHECK(blocks.first.ordered(access, 1));
  CHECK_FALSE(blocks.first.ordered(access, 2));
  blocks.first.collective(0, 0b0110);
  CHECK(blocks.first.ordered(access, 2));
  CHECK_FALSE(blocks.first.ordered(access, 3));
  CHECK_FALSE(blocks.first.ordered(at(blocks.first, 0), 1));
}

TEST_CASE("a named barrier orders who arrives before who is let go") {
  TwoBlocks blocks;
  const Access access = at(blocks.first, 0);
  blocks.first.arrive(0);
  CHECK_FALSE(blocks.first.ordered(access, 40));
  blocks.first.join(40);
  CHECK(blocks.first.ordered(access, 40));
  CHECK_FALSE(blocks.first.ordered(access, 50));
}

TEST_CASE("an atomic behind a fence releases to who does an atomic on the same location later") {
  TwoBlocks blocks;
  const Access before = at(blocks.first, 0);
  blocks.first.atomic(0, 0x1000, true);
  blocks.second.atomic(0, 0x1000, true);
  CHECK_FALSE(blocks.second.ordered(before, 0));  // no fence
  blocks.first.fence(0);
  const Access behind = at(blocks.first, 0);
  blocks.first.atomic(0, 0x1000, true);
  blocks.second.atomic(0, 0x2000, false);
  CHECK_FALSE(blocks.second.ordered(before, 0));  // another location
  blocks.second.atomic(0, 0x1000, false);
  CHECK(blocks.second.ordered(before, 0));
  CHECK_FALSE(blocks.second.ordered(behind, 0));  // the fence came first
  CHECK_FALSE(blocks.second.ordered(before, 1));  // has not heard of it yet
  blocks.second.barrier();
  CHECK(blocks.second.ordered(before, 1));
}

TEST_CASE("a release speaks for the others of its block only behind a barrier") {
  TwoBlocks blocks;
  const Access early = at(blocks.first, 7);
  blocks.first.barrier();
  const Access late = at(blocks.first, 7);
  blocks.first.fence(0);
  blocks.first.atomic(0, 0x1000, true);
  blocks.second.atomic(0, 0x1000, false);
  CHECK(blocks.second.ordered(early, 0));
  CHECK_FALSE(blocks.second.ordered(late, 0));
}

TEST_CASE("what a launch before left is ordered with an overlapping launch by its wait only") {
  TwoBlocks blocks;
  const Access access = at(blocks.first, 3);
  blocks.launch.begin(true);
  blocks.first.begin(blocks.launch, 0, 64);
  CHECK(access.epoch >= blocks.first.horizon(3));
  CHECK_FALSE(blocks.first.ordered(access, 3));  // the same thread of the same block, but of another launch
  blocks.first.grid_wait(3);
  CHECK(blocks.first.ordered(access, 3));
  CHECK(access.epoch < blocks.first.horizon(3));
  CHECK_FALSE(blocks.first.ordered(access, 4));
  SECTION("a barrier tells the others of the block") {
    blocks.first.barrier();
    CHECK(blocks.first.ordered(access, 40));
  }
  SECTION("a collective tells the lanes that take part") {
    blocks.first.collective(0, 0b11000);
    CHECK(blocks.first.ordered(access, 4));
    CHECK_FALSE(blocks.first.ordered(access, 5));
  }
  SECTION("another block waits for itself") {
    blocks.first.barrier();
    blocks.second.begin(blocks.launch, 1, 64);
    CHECK_FALSE(blocks.second.ordered(access, 0));
  }
  SECTION("the launch behind it starts alone") {
    blocks.launch.begin(false);
    blocks.second.begin(blocks.launch, 1, 64);
    CHECK(blocks.second.ordered(access, 0));
    CHECK(access.epoch < blocks.second.horizon(0));
  }
}

TEST_CASE("a third launch overlaps the first where the second let it begin, or waited for nobody") {
  TwoBlocks blocks;
  const Access access = at(blocks.first, 3);
  blocks.launch.begin(true);
  blocks.first.begin(blocks.launch, 0, 64);
  bool overlaps = true;
  SECTION("waited") {
    blocks.first.grid_wait(0);
    overlaps = false;
  }
  SECTION("waited, and let it begin") {
    blocks.first.grid_wait(0);
    blocks.launch.triggered();
  }
  SECTION("did not wait") {}
  blocks.launch.begin(true);
  blocks.second.begin(blocks.launch, 1, 64);
  CHECK((access.epoch >= blocks.second.horizon(0)) == overlaps);
}

TEST_CASE("threads that write neighbouring halves of a granule are both remembered") {
  Granule granule;
  granule.note_write(masked(1, 0b0011), 5);
  granule.note_write(masked(2, 0b1100), 5);
  CHECK(granule.writers[0].thread == 2);
  CHECK(granule.writers[1].thread == 1);
  granule.note_write(masked(3, 0b1111), 5);
  CHECK(granule.writers[0].thread == 3);
  CHECK(granule.writers[1].epoch == 0);
}

TEST_CASE("of many readers two are remembered that are far from each other") {
  Granule granule;
  for (const int thread : {1, 2, 40, 3}) granule.note_read(masked(thread, 0b1111), 5);
  CHECK(granule.readers[0].thread == 1);
  CHECK(granule.readers[1].thread == 40);
  granule.note_read(masked(9, 0b1111, 6), 5);  // behind a barrier
  CHECK(granule.readers[0].thread == 9);
}

TEST_CASE("the granules of a range come with the bytes that it touches") {
  std::vector<std::pair<std::size_t, int>> seen;
  for_each_granule(6, 7, [&](std::size_t index, std::uint8_t mask) { seen.emplace_back(index, mask); });
  CHECK(seen == std::vector<std::pair<std::size_t, int>>{{1, 0b1100}, {2, 0b1111}, {3, 0b0001}});
}

TEST_CASE("a place is told by the innermost code that is not the emulation's, and by the kernel's call") {
  const auto places = read_source_lines(
      "0x0000000000000010\n/emulation/harness_cpu/atomics.h:7\n./kernel.cu:9 (discriminator 2)\n"
      "0x0000000000000020\n/somewhere/vec.cuh:3\n/emulation/x.h:2\n./kernel.cu:4\n./kernel.cu:80\n"
      "0x0000000000000030\n??:0\n");
  CHECK(places ==
        std::map<std::uint64_t, std::string>{{0x10, "kernel.cu:9"}, {0x20, "vec.cuh:3, called at kernel.cu:4"}});
}

TEST_CASE("sites in functions of the emulation are told from comparisons that it makes for the candidate") {
  CHECK(read_sites_within_functions(
            "0x10\n__float2int_rn(float)\n/emulation/harness_cpu/conversions.h:7\nf\nk.cu:9\n"
            "0x20\n__hgt(__half, __half)\n/emulation/harness_cpu/small_float_type.h:3\n"
            "0x30\noperator<(__half, __half)\n/emulation/harness_cpu/small_float_type.h:4\n"
            "0x40\nf(float)\nk.cu:9\n"
            "0x50\nmin(int, int)\n/emulation/harness_cpu/math_functions.h:9\nk.cu:9\n"
            "0x60\n__hmax(__half, __half)\n/emulation/harness_cpu/small_float_type.h:9\n"
            "0x70\n__saturatef(float)\n/emulation/harness_cpu/math_functions.h:99\n"
            "0x80\n__any_sync(unsigned int, int, char const*, int)\n/emulation/harness_cpu/threads.h:51\n"
            "0x90\natomicMin(int*, int)::{lambda(int)#1}::operator()(int) const\n"
            "/emulation/harness_cpu/atomics.h:60\n") == std::set<std::uint64_t>{0x10, 0x70});
}

TEST_CASE("columns of comparisons are read from the line table") {
  const std::string table =
      "  [0x00000036]  Set column to 27\n"
      "  [0x00000038]  Extended opcode 2: set Address to 0x1030\n"
      "  [0x00000043]  Special opcode 7: advance Address by 0 to 0x1030 and Line by 2 to 3\n"
      "  [0x00000044]  Set column to 69\n"
      "  [0x0000004c]  Advance PC by constant 17 to 0x1047\n"
      "  [0x0000004e]  Copy\n"
      "  [0x00000222]  Advance PC by 7 to 0x1050\n"
      "  [0x00000223]  Extended opcode 1: End of Sequence\n";
  CHECK(read_site_columns(table, {0x1000, 0x1030, 0x1046, 0x1047, 0x104f, 0x1050}) ==
        std::map<std::uint64_t, std::uint32_t>{{0x1030, 27}, {0x1046, 27}, {0x1047, 69}, {0x104f, 69}});
}

TEST_CASE("a wrapper's place is that of the header of the plugin that called it") {
  const auto places = read_source_lines(
      "0x10\n/include/harness/cp_async.cuh:23\n/include/mma_tile.cuh:165\nkernel.cu:9\n"
      "0x20\n/home/x/guest/harness_cpu/threads.h:20\nkernel.cu:7\n");
  CHECK(places == std::map<std::uint64_t, std::string>{{0x10, "cp_async.cuh:23, called at mma_tile.cuh:165"},
                                                       {0x20, "kernel.cu:7"}});
}
