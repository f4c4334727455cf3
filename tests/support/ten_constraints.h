#pragma once

namespace harness::tests {

/// `params` and `valid` of a variant: ten parameters under ten constraints, 3,840,000 products.
inline constexpr const char* kTenConstraints = R"(  params = {
    BM = { values = { 16, 32, 48, 64, 96, 128, 192, 256 }, bind = "define" },
    BN = { values = { 16, 32, 48, 64, 96, 128, 192, 256 }, bind = "define" },
    BK = { values = { 8, 16, 32, 64, 128 }, bind = "define" },
    TM = { values = { 1, 2, 4, 8, 16 }, bind = "define" },
    TN = { values = { 1, 2, 4, 8, 16 }, bind = "define" },
    VEC = { values = { 1, 2, 4, 8 }, bind = "define" },
    STAGES = { values = { 1, 2, 3 }, bind = "define" },
    SPLIT = { values = { 1, 2, 4, 8, 16 }, bind = "define" },
    UNROLL = { values = { 1, 2, 4, 8 }, bind = "define" },
    SWIZZLE = { values = { 0, 1 }, bind = "define" },
  },
  valid = function(p, w, device)
    return p.BM % p.TM == 0 and p.BN % p.TN == 0
      and p.BM // p.TM * (p.BN // p.TN) <= 1024
      and p.BM // p.TM * (p.BN // p.TN) % 32 == 0
      and p.TM * p.TN <= 64
      and p.BK % p.VEC == 0
      and (p.BM + p.BN) * p.BK * 4 * p.STAGES <= 98304
      and p.BK % p.UNROLL == 0
      and p.SPLIT * p.BK <= 512
      and (p.SWIZZLE == 0 or p.VEC > 1)
  end,
)";

}  // namespace harness::tests
