#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>

#include "tests/device/cpu/fixture.h"

namespace harness::test {
namespace {

const char* const kCubSource = R"(
#include <cub/cub.cuh>
template <class Key>
__device__ void sort_with_places(const Key* in, Key* keys_out, int* places) {
  using Load = cub::BlockLoad<Key, 32, 3, cub::BLOCK_LOAD_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<Key, 32, 3, int>;
  __shared__ typename Load::TempStorage load;
  __shared__ typename Sort::TempStorage sort;
  Key keys[3];
  int from[3];
  Load(load).Load(in, keys);
  for (int i = 0; i < 3; ++i) from[i] = threadIdx.x * 3 + i;
  if (sizeof(Key) == 2) Sort(sort).SortDescending(keys, from);
  else Sort(sort).Sort(keys, from);
  for (int i = 0; i < 3; ++i) keys_out[threadIdx.x * 3 + i] = keys[i], places[threadIdx.x * 3 + i] = from[i];
}
__global__ void sort_floats(const float* in, float* out, int* places) { sort_with_places(in, out, places); }
__global__ void sort_ints(const int* in, int* out, int* places) { sort_with_places(in, out, places); }
__global__ void sort_down(const unsigned short* in, unsigned short* out, int* places) { sort_with_places(in, out, places); }
__global__ void scan(const int* in, int* exclusive, int* most, int* total) {
  using Load = cub::BlockLoad<int, 32, 3>;
  using Scan = cub::BlockScan<int, 32>;
  __shared__ typename Scan::TempStorage storage;
  int v[3], sums[3], all;
  Load().Load(in, v, 90, -1000);
  Scan(storage).ExclusiveSum(v, sums, all);
  cub::BlockStore<int, 32, 3>().Store(exclusive, sums);
  __syncthreads();
  Scan(storage).InclusiveScan(v, sums, cub::Max());
  cub::BlockStore<int, 32, 3>().Store(most, sums, 95);
  if (threadIdx.x == 0) total[0] = all;
}
)";

Artifact cub_artifact() {
  static const Artifact built = build_artifact(kCubSource, {"sort_floats", "sort_ints", "sort_down", "scan"});
  return built;
}

template <typename Key>
void check_sorted(const std::string& entry, const std::vector<Key>& keys, bool descending) {
  Bench bench(cub_artifact());
  bench.buffer("in", keys).buffer("out", std::vector<Key>(keys.size())).buffer("places", std::vector<int>(keys.size()));
  bench.run(entry, {}, {32}, {named("in"), named("out"), named("places")});
  std::vector<int> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](int at) { return keys[static_cast<std::size_t>(at)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return descending ? key(a) > key(b) : key(a) < key(b); });
  CHECK(bench.read<int>("places") == order);
  std::vector<Key> sorted;
  for (const int at : order) sorted.push_back(key(at));
  CHECK(bench.read<Key>("out") == sorted);
}

constexpr std::size_t kTile = 96;

}  // namespace

TEST_CASE("a block sorts keys of any type stably, and what comes with them") {
  std::vector<float> floats(kTile);
  std::vector<int> ints(kTile);
  std::vector<std::uint16_t> shorts(kTile);
  for (std::size_t i = 0; i < kTile; ++i) {
    const auto drawn = static_cast<int>(i * 37 % 23) - 11;
    floats[i] = static_cast<float>(drawn) * 0.25f;
    ints[i] = drawn * 100'000'000;
    shorts[i] = static_cast<std::uint16_t>(drawn * 4000);
  }
  check_sorted("sort_floats", floats, false);
  check_sorted("sort_ints", ints, false);
  check_sorted("sort_down", shorts, true);
}

TEST_CASE("a block scans several elements a thread, and loads and stores the first of them") {
  std::vector<int> in(kTile);
  for (std::size_t i = 0; i < kTile; ++i) in[i] = static_cast<int>(i * 29 % 31) - 12;
  Bench bench(cub_artifact());
  bench.buffer("in", in).buffer("exclusive", std::vector<int>(kTile)).buffer("most", std::vector<int>(kTile, 77));
  bench.buffer("total", std::vector<int>(1));
  bench.run("scan", {}, {32}, {named("in"), named("exclusive"), named("most"), named("total")});
  std::vector<int> exclusive, most;
  int sum = 0, largest = in[0];
  for (std::size_t i = 0; i < kTile; ++i) {
    const int value = i < 90 ? in[i] : -1000;
    exclusive.push_back(sum);
    sum += value;
    most.push_back(i < 95 ? largest = std::max(largest, value) : 77);
  }
  CHECK(bench.read<int>("exclusive") == exclusive);
  CHECK(bench.read<int>("most") == most);
  CHECK(bench.read<int>("total").front() == sum);
}

}  // namespace harness::test
