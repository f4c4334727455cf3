#pragma once
#include <array>
#include <cstdint>
#include <cstring>

#include "harness/device/cuda/run/input_sets.h"
#include "tests/device/cuda/fake_driver.h"

/// harness_refresh and harness_relocate for the driver in memory, byte by byte. tests/worker compares the device code
/// itself with judge::rotate.
inline void add_refreshing_kernels(FakeDriver& driver) {
  struct Rotation {
    std::int64_t begin, unit, row, rows;
  };
  driver.kernels["harness_refresh"] = {
      {8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8}, 60000, [&driver](void** a) {
        const auto word = [a](int i) { return *static_cast<std::int64_t*>(a[i]); };
        const std::int64_t stride = word(2), images = word(3), first = word(4), phase = word(5);
        const std::array<std::uint64_t, 2> key = {static_cast<std::uint64_t>(word(7)),
                                                  static_cast<std::uint64_t>(word(8))};
        const auto* rotations = reinterpret_cast<const Rotation*>(word(9));
        for (std::int64_t set = first; set < first + driver.last_grid[1]; ++set) {
          char* to = reinterpret_cast<char*>(word(0)) + set * stride;
          const char* from = reinterpret_cast<const char*>(word(1)) + (set + phase) % images * stride;
          std::memcpy(to, from, static_cast<std::size_t>(stride));
          const std::uint64_t r = harness::cuda::InputSets::rotation(key, static_cast<std::uint64_t>(word(6)), set);
          for (std::int64_t i = 0; i < word(10); ++i) {
            const Rotation& b = rotations[i];
            const auto by = static_cast<std::int64_t>(r % static_cast<std::uint64_t>(b.rows));
            for (std::int64_t row = 0; row < b.rows; ++row)
              std::memcpy(to + b.begin + row * b.unit, from + b.begin + (row + by) % b.rows * b.unit,
                          static_cast<std::size_t>(b.row));
          }
        }
      }};
  driver.kernels["harness_relocate"] = {{8, 8, 8, 8, 8}, 2000, [&driver](void** a) {
                                          const auto word = [a](int i) { return *static_cast<std::int64_t*>(a[i]); };
                                          const auto* table = reinterpret_cast<const std::int64_t*>(word(3));
                                          for (std::int64_t set = word(2); set < word(2) + driver.last_grid[1]; ++set) {
                                            char* base = reinterpret_cast<char*>(word(0)) + set * word(1);
                                            for (std::int64_t i = 0; i < word(4); ++i) {
                                              char* const target = base + table[2 * i + 1];
                                              std::memcpy(base + table[2 * i], &target, sizeof target);
                                            }
                                          }
                                        }};
}
