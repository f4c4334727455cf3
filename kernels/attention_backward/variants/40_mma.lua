-- Bytes of KeyBlock: keys and values, two stages of queries, gradients and two floats a query, and dS.
local function shared_bytes(p, w)
  return 4 * w.D * 16 * p.WARPS + 2 * p.BLOCK_M * (4 * w.D + 8) + 2 * p.BLOCK_M * 16 * p.WARPS
end

return variant {
  technique = "tensor-cores", risk = "medium", multi_kernel = true,
  -- fp32 multiply-adds of a warp give way to tensor cores at a third of their rate, and P and dP are computed once
  estimate  = { speedup = { 20, 120 }, probability = 0.8, evaluations = 20 },
  requires  = { arch = ">=80" },
  params = {
    WARPS   = { values = { 4, 8 }, bind = "template" },         -- 16 keys each
    BLOCK_M = { values = { 32, 64, 128 }, bind = "template" },  -- queries of a tile
    BLOCKS  = { values = { 1, 2, 3 }, bind = "template" },      -- of a multiprocessor, which bounds the registers
  },
  start = { { WARPS = 8, BLOCK_M = 64, BLOCKS = 1 }, { WARPS = 4, BLOCK_M = 64, BLOCKS = 2 } },
  valid = function(p, w, device)
    return all_of(
      p.WARPS * p.BLOCKS <= 16, not w.deterministic,
      -- accumulators of a lane, and P once more, beside about 50 registers for everything else
      le(w.D + p.BLOCK_M + p.BLOCK_M // 4 + 50, min(255, 65536 // (32 * p.WARPS * p.BLOCKS))),
      le(p.BLOCKS * (shared_bytes(p, w) + 1024), 233472), le(shared_bytes(p, w), device.max_shared_bytes))
  end,
  workspaces = function(p, w, device)
    local rows = w.B * w.Hq * round_up(w.Sq, p.BLOCK_M)
    return {
      workspace { "lse_of_tiles", bytes = 4 * rows, align = 256, init = "dirty" },
      workspace { "deltas", bytes = 4 * rows, align = 256, init = "dirty" },
      workspace { "sums", bytes = 4 * rows * w.D, align = 256, init = "dirty" },
    }
  end,
  steps = function(p, w, device)
    local padded, heads = round_up(w.Sq, p.BLOCK_M), w.B * w.Hq
    local rows = 256 // (w.D // 8)  -- of a block of the small launches
    return {
      launch { entry = "prepare<$dtype,$D,true>", grid = { cdiv(padded, rows), heads }, block = { 256 }, shared = 0,
               args = { "o", "d_o", "lse", "lse_of_tiles", "deltas", "sums", i32(w.Sq), i32(padded) } },
      launch { entry = "backward<$dtype,$D,$WARPS,$BLOCK_M,$BLOCKS>", grid = { cdiv(w.Sk, 16 * p.WARPS), w.B * w.Hkv },
               block = { 32 * p.WARPS }, shared = shared_bytes(p, w),
               args = { "q", "k", "v", "d_o", "lse_of_tiles", "deltas", "sums", "d_k", "d_v", "scale", i32(w.Hq),
                        i32(w.Hkv), i32(w.Sq), i32(w.Sk), i32(padded), i32(w.causal) } },
      launch { entry = "finish<$dtype,$D>", grid = { cdiv(w.Sq, rows), heads }, block = { 256 }, shared = 0,
               args = { "sums", "d_q", "scale", i32(w.Sq), i32(padded) } },
    }
  end,
}
