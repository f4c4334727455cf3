#include <catch2/catch.hpp>

#include "harness/device/cuda/contender.h"
#include "harness/device/cuda/input_sets.h"

using namespace harness::cuda;

namespace {
constexpr std::int64_t kMega = 1 << 20;
}

TEST_CASE("input sets together exceed twice the L2, within memory and 4096") {
  CHECK(count_sets(2 * kMega, 3, 60 * kMega, 1000 * kMega) == 64);
  CHECK(count_sets(2 * kMega, 3, 80 * kMega, 1000 * kMega) == 80);
  CHECK(count_sets(1000, 3, 60 * kMega, 1000 * kMega) == 4096);
  CHECK(count_sets(2 * kMega, 100, 60 * kMega, 1000 * kMega) == 100);
  CHECK(count_sets(300 * kMega, 2, 60 * kMega, 1000 * kMega) == 2);
  CHECK(count_sets(300 * kMega, 5, 60 * kMega, 1000 * kMega) == 3);
  CHECK(count_sets(3000 * kMega, 5, 60 * kMega, 1000 * kMega) == 1);
  CHECK(set_stride(0) == 4096);
  CHECK(set_stride(4097) == 8192);
}

TEST_CASE("a graph of short calls has 20 or more and lasts about half a millisecond") {
  for (double call_ns : {600.0, 5000.0, 24000.0, 49000.0, 2e5, 3e6}) {
    for (std::int64_t sets : {1, 3, 30, 64, 2048, 4096}) {
      for (bool restored : {false, true}) {
        const GraphShape shape = graph_shape(call_ns, sets, restored);
        CAPTURE(call_ns, sets, restored, shape.calls, shape.graphs);
        CHECK(shape.calls >= 1);
        CHECK(shape.graphs >= 1);
        if (call_ns < 5e4 && !(restored && sets < 20)) CHECK(shape.calls >= 20 - 20 % sets);
        if (restored) CHECK(shape.calls <= sets);
        if (shape.graphs > 1) CHECK(shape.calls * shape.graphs <= sets);
        if (sets > 1 && call_ns * static_cast<double>(sets) < 4e7) CHECK(shape.calls * shape.graphs >= sets / 2);
      }
    }
  }
}

TEST_CASE("graphs cover all sets before one comes round again") {
  CHECK(graph_shape(5000, 2048, false).calls == 102);
  CHECK(graph_shape(5000, 2048, false).graphs == 20);
  CHECK(graph_shape(5000, 64, false).calls == 64);  // 100 wanted: whole rounds of 64
  CHECK(graph_shape(5000, 30, false).calls == 90);
  CHECK(graph_shape(5000, 30, true).calls == 30);
  CHECK(graph_shape(1e6, 4096, false).graphs == 50);  // 50 ms in all
  CHECK(graph_shape(1e9, 16, false).graphs == 4);
}
