#include "harness/device/cpu/execute/matrix_moves.h"

#include <cstdint>
#include <cstring>

namespace harness::cpu {
namespace {

constexpr std::size_t kElement = 2, kRow = 8 * kElement;

const MatrixLane* lane_of(const BlockRunner::Records& lanes, int lane) {
  return static_cast<const MatrixLane*>(lanes[static_cast<std::size_t>(lane)]);
}

int count_of(const BlockRunner::Records& lanes) {
  for (const void* lane : lanes)
    if (lane) return static_cast<const MatrixLane*>(lane)->count;
  return 0;
}

/// Bytes from the start of a matrix, 8 rows one after the other, to element `i` (0 or 1) of a lane's register.
template <bool transposed>
std::size_t element_at(int lane, int i) {
  const int row = lane / 4, column = lane % 4 * 2 + i;
  return transposed ? column * kRow + row * kElement : row * kRow + column * kElement;
}

template <bool transposed>
void load(const BlockRunner::Records& lanes) {
  const int count = count_of(lanes);
  char rows[4 * 8 * kRow];
  std::memset(rows, 0xff, sizeof rows);
  for (int row = 0; row < 8 * count; ++row)
    if (const MatrixLane* const lane = lane_of(lanes, row)) std::memcpy(rows + row * kRow, lane->row, kRow);
  for (int l = 0; l < 32; ++l) {
    const MatrixLane* const lane = lane_of(lanes, l);
    if (!lane) continue;
    for (int m = 0; m < count; ++m)
      for (int i = 0; i < 2; ++i)
        std::memcpy(reinterpret_cast<char*>(lane->target + m) + i * kElement,
                    rows + m * 8 * kRow + element_at<transposed>(l, i), kElement);
  }
}

template <bool transposed>
void store(const BlockRunner::Records& lanes) {
  const int count = count_of(lanes);
  for (int m = 0; m < count; ++m)
    for (int l = 0; l < 32; ++l) {
      const MatrixLane* const lane = lane_of(lanes, l);
      if (!lane) continue;
      for (int i = 0; i < 2; ++i) {
        const std::size_t at = element_at<transposed>(l, i);
        if (const MatrixLane* const owner = lane_of(lanes, m * 8 + static_cast<int>(at / kRow)))
          std::memcpy(owner->row + at % kRow, reinterpret_cast<const char*>(lane->source + m) + i * kElement, kElement);
      }
    }
}

}  // namespace

void load_matrices(const BlockRunner::Records& lanes) {
  load<false>(lanes);
}
void load_matrices_transposed(const BlockRunner::Records& lanes) {
  load<true>(lanes);
}
void store_matrices(const BlockRunner::Records& lanes) {
  store<false>(lanes);
}
void store_matrices_transposed(const BlockRunner::Records& lanes) {
  store<true>(lanes);
}

}  // namespace harness::cpu
