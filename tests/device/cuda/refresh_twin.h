#pragma once
#include <array>
#include <cstdint>
#include <cstring>

#include "harness/core/dtype.h"
#include "harness/device/cuda/run/input_sets.h"
#include "kernels/include/harness/random.cuh"
#include "tests/device/cuda/fake_driver.h"

/// The kernels of refreshing_kernels.cu for the driver in memory, of normal draws and exact digests only. tests/worker
/// compares the device code itself with judge::paint.
inline void add_refreshing_kernels(FakeDriver& driver) {
  using harness::cuda::RefreshWords;
  struct Draw {
    std::int64_t at, kind, dtype, poison;
    std::uint64_t stream;
    double scale, offset;
    std::int64_t lo;
    std::uint64_t range;
    std::int64_t count, extents[4], strides[4];
  };
  struct Output {
    std::int64_t begin, end, dtype, slot, exact;
  };
  const auto refresh_of = [](void* argument) { return *static_cast<RefreshWords*>(argument); };
  const auto drawn_of = [](const RefreshWords& r) {
    return harness::cuda::DrawnSets{r.first, 1, r.used, r.shift, r.phase, r.pair, r.launch};
  };
  const auto place = [](const RefreshWords& r, std::int64_t set) {
    return reinterpret_cast<const std::int64_t*>(r.places)[set];
  };
  const auto bytes_of = [](void* argument) { return *static_cast<char**>(argument); };
  constexpr auto kWords = sizeof(RefreshWords);

  driver.kernels["harness_copy"] = {{8, 8, kWords, 8, 8}, 60000, [=, &driver](void** a) {
                                      const RefreshWords r = refresh_of(a[2]);
                                      const auto* ranges = *static_cast<const std::int64_t**>(a[3]);
                                      for (std::int64_t set = r.first; set < r.first + driver.last_grid[1]; ++set) {
                                        const std::int64_t image = (drawn_of(r).draw_of(set) + r.phase) % r.images;
                                        for (std::int64_t i = 0; i < *static_cast<std::int64_t*>(a[4]); ++i)
                                          std::memcpy(bytes_of(a[0]) + place(r, set) + ranges[2 * i],
                                                      bytes_of(a[1]) + image * r.stride + ranges[2 * i],
                                                      static_cast<std::size_t>(ranges[2 * i + 1] - ranges[2 * i]));
                                      }
                                    }};
  driver.kernels["harness_draw"] = {
      {8, kWords, 8, 8}, 20000, [=, &driver](void** a) {
        const RefreshWords r = refresh_of(a[1]);
        const Draw& d = (*static_cast<const Draw**>(a[2]))[*static_cast<std::int64_t*>(a[3])];
        const auto dtype = static_cast<harness::Dtype>(d.dtype);
        for (std::int64_t set = r.first; set < r.first + driver.last_grid[1]; ++set) {
          const harness::FreshSeeds seeds = harness::cuda::InputSets::seeds({r.key0, r.key1}, drawn_of(r), set);
          char* to = bytes_of(a[0]) + place(r, set) + d.at;
          for (std::int64_t i = 0; i < d.count; ++i) {
            const auto bits = harness::random::words(d.poison != 0 ? seeds.poison : seeds.values, d.stream,
                                                     static_cast<std::uint64_t>(i));
            harness::store_rounded(dtype, to + i * harness::storage_bytes(dtype),
                                   harness::random::affine(d.scale, harness::random::normal(bits), d.offset));
          }
        }
      }};
  driver.kernels["harness_digest"] = {
      {8, kWords, 8, 8, 8, 8}, 3000, [=, &driver](void** a) {
        const RefreshWords r = refresh_of(a[1]);
        const Output& o = (*static_cast<const Output**>(a[2]))[*static_cast<std::int64_t*>(a[3])];
        auto* digests = *static_cast<std::uint64_t**>(a[4]);
        for (std::int64_t set = r.first; set < r.first + driver.last_grid[1]; ++set)
          for (std::int64_t at = o.begin; at < o.end; ++at) {
            std::uint64_t& word = digests[set * *static_cast<std::int64_t*>(a[5]) + o.slot];
            word = word * 31 + static_cast<unsigned char>(bytes_of(a[0])[place(r, set) + at]);
          }
      }};
  driver.kernels["harness_relocate"] = {{8, kWords, 8, 8}, 2000, [=, &driver](void** a) {
                                          const RefreshWords r = refresh_of(a[1]);
                                          const auto* table = *static_cast<const std::int64_t**>(a[2]);
                                          for (std::int64_t set = r.first; set < r.first + driver.last_grid[1]; ++set) {
                                            char* base = bytes_of(a[0]) + place(r, set);
                                            for (std::int64_t i = 0; i < *static_cast<std::int64_t*>(a[3]); ++i) {
                                              char* const target = base + table[2 * i + 1];
                                              std::memcpy(base + table[2 * i], &target, sizeof target);
                                            }
                                          }
                                        }};
}
