#include "harness/device/cpu/execute/mma.h"

#include <bit>
#include <cstring>

#include "harness/device/cpu/execute/half_values.h"

namespace harness::cpu {
namespace {

struct Operands {
  float a[16][16], b[16][8], d[16][8];
};

constexpr unsigned kTwoNans = 0x7fff7fffu;  // in either type

/// d += a b, four columns at a time: a sum goes through k in ascending order whatever the compiler makes of it.
template <int columns>
void multiply_add(const float (&a)[16][16], const float (&b)[16][columns], float (&d)[16][columns]) {
  using Four = float __attribute__((vector_size(16)));
  constexpr int kFours = columns / 4;
  for (int row = 0; row < 16; ++row) {
    Four sum[kFours], factor[kFours];
    std::memcpy(sum, d[row], sizeof sum);
    for (int k = 0; k < 16; ++k) {
      std::memcpy(factor, b[k], sizeof factor);
      for (int i = 0; i < kFours; ++i) sum[i] += a[row][k] * factor[i];
    }
    std::memcpy(d[row], sum, sizeof sum);
  }
}

template <float (*value)(std::uint32_t)>
void put_pair(float* place, int step, unsigned pair) {
  place[0] = value(pair & 0xffffu);
  place[step] = value(pair >> 16);
}

template <float (*value)(std::uint32_t)>
void put_lane(Operands& all, int lane, const MmaLane* brought) {
  const int group = lane / 4, column = lane % 4 * 2;
  for (int i = 0; i < 4; ++i)
    put_pair<value>(&all.a[group + i % 2 * 8][column + i / 2 * 8], 1, brought ? brought->a[i] : kTwoNans);
  put_pair<value>(&all.b[column][group], 8, brought ? brought->b0 : kTwoNans);
  put_pair<value>(&all.b[column + 8][group], 8, brought ? brought->b1 : kTwoNans);
  for (int i = 0; i < 4; ++i) all.d[group + i / 2 * 8][column + i % 2] = brought ? brought->d[i] : 0;
}

void take_lane(const Operands& all, int lane, const MmaLane& brought) {
  const int group = lane / 4, column = lane % 4 * 2;
  for (int i = 0; i < 4; ++i) brought.d[i] = all.d[group + i / 2 * 8][column + i % 2];
}

template <float (*value)(std::uint32_t)>
void multiply(const BlockRunner::Records& lanes) {
  Operands all;
  for (int lane = 0; lane < 32; ++lane) put_lane<value>(all, lane, static_cast<const MmaLane*>(lanes[lane]));
  multiply_add(all.a, all.b, all.d);
  for (int lane = 0; lane < 32; ++lane)
    if (lanes[lane]) take_lane(all, lane, *static_cast<const MmaLane*>(lanes[lane]));
}

/// Element `i` of a lane's part of an accumulator: the first of each pair of neighbours, then the second.
float& of_sum(float (&sum)[16][16], int lane, int i) {
  const int pair = i % 4;
  return sum[lane / 4 + pair % 2 * 8][lane % 4 * 2 + pair / 2 * 8 + i / 4];
}

template <float (*value)(std::uint32_t)>
void multiply_wmma(const BlockRunner::Records& lanes) {
  float a[16][16], b[16][16], d[16][16];
  for (int lane = 0; lane < 32; ++lane) {
    const auto* const brought = static_cast<const WmmaLane*>(lanes[lane]);
    const int row = lane % 16, first = lane / 16 * 8;  // of its part of an operand, as guest/mma.h loads it
    for (int i = 0; i < 8; ++i) {
      const float of_a = value(brought ? static_cast<const std::uint16_t*>(brought->a)[i] : kTwoNans & 0xffffu);
      const float of_b = value(brought ? static_cast<const std::uint16_t*>(brought->b)[i] : kTwoNans & 0xffffu);
      (brought && brought->a_columns ? a[first + i][row] : a[row][first + i]) = of_a;
      (brought && brought->b_columns ? b[first + i][row] : b[row][first + i]) = of_b;
      of_sum(d, lane, i) = brought ? brought->c[i] : 0;
    }
  }
  multiply_add(a, b, d);
  for (int lane = 0; lane < 32; ++lane)
    if (const auto* const brought = static_cast<const WmmaLane*>(lanes[lane]))
      for (int i = 0; i < 8; ++i) brought->d[i] = of_sum(d, lane, i);
}

}  // namespace

void multiply_f16(const BlockRunner::Records& lanes) {
  multiply<f16_value>(lanes);
}

void multiply_bf16(const BlockRunner::Records& lanes) {
  multiply<bf16_value>(lanes);
}

void multiply_wmma_f16(const BlockRunner::Records& lanes) {
  multiply_wmma<f16_value>(lanes);
}

void multiply_wmma_bf16(const BlockRunner::Records& lanes) {
  multiply_wmma<bf16_value>(lanes);
}

}  // namespace harness::cpu
