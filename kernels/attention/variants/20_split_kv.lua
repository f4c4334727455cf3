-- Bytes of the fp32 tiles of OnlineTile: Q, K, V and scores, each row padded by 4.
local function shared_bytes(p, w)
  return 4 * ((p.BLOCK_M + 2 * p.BLOCK_N) * (w.D + 4) + p.BLOCK_M * (p.BLOCK_N + 4))
end

local COMBINE_ROWS = 4  -- rows of a block of the second kernel, a warp each

return variant {
  technique = "split-kv", risk = "medium", multi_kernel = true,
  -- more blocks help where there are few
  estimate  = function(w)
    local few = w.B * w.Hq * cdiv(w.Sq, 64) < 512
    return { speedup = few and { 10, 100 } or { 4, 30 }, probability = 0.7, evaluations = 40 }
  end,
  params = {
    SPLITS  = { values = { 2, 4, 8, 16, 32 }, bind = "launch" },    -- ranges of keys, a block each
    BLOCK_M = { values = { 16, 32, 64 }, bind = "template" },       -- query rows of a block
    BLOCK_N = { values = { 16, 32, 64 }, bind = "template" },       -- keys of a tile
    ROWS    = { values = { 1, 2, 4 }, bind = "template" },          -- query rows of a thread
    LANES   = { values = { 8, 16, 32 }, bind = "template" },        -- threads that share a row
    PDL     = { values = { 0, 1 }, bind = "launch" },               -- the second kernel begins under the first
  },
  valid = function(p, w, device)
    local threads = p.BLOCK_M // p.ROWS * p.LANES
    return all_of(
      le(90 * p.PDL, device.compute_capability),
      threads >= 64, threads <= 512, le(threads, device.max_threads_per_block),
      p.BLOCK_N % p.LANES == 0,
      divisible(w.D, p.LANES),
      p.ROWS * p.BLOCK_N >= 2 * p.LANES,  -- at least two scores a thread
      -- a split without a tile of its own only adds work to the second kernel (but 2 must work on any length)
      le(p.SPLITS, max(2, cdiv(w.Sk, p.BLOCK_N))),
      le(p.ROWS * (p.BLOCK_N + w.D), 96 * p.LANES),
      le(shared_bytes(p, w), device.max_shared_bytes))
  end,
  workspaces = function(p, w, device)
    local partials = w.B * w.Hq * w.Sq * p.SPLITS
    return {
      workspace { "o_partial",   bytes = 4 * partials * w.D, align = 256, init = "dirty" },
      workspace { "max_partial", bytes = 4 * partials,       align = 256, init = "dirty" },
      workspace { "sum_partial", bytes = 4 * partials,       align = 256, init = "dirty" },
    }
  end,
  steps = function(p, w, device)
    local rows = w.B * w.Hq * w.Sq
    return {
      launch { entry = "attention_partial<$dtype,$D,$BLOCK_M,$BLOCK_N,$ROWS,$LANES>",
               grid = { cdiv(w.Sq, p.BLOCK_M) * p.SPLITS, w.Hq, w.B }, block = { p.BLOCK_M // p.ROWS * p.LANES },
               shared = shared_bytes(p, w),
               args = { "q", "k", "v", "o_partial", "max_partial", "sum_partial", "scale", i32(w.Hq), i32(w.Hkv), i32(w.Sq),
                        i32(w.Sk), i32(w.causal), i32(p.SPLITS) } },
      launch { entry = "attention_combine<$dtype,$D>",
               grid = { cdiv(rows, COMBINE_ROWS) }, block = { 32 * COMBINE_ROWS }, shared = 0, pdl = p.PDL == 1,
               args = { "o_partial", "max_partial", "sum_partial", "o", "lse", i32(rows), i32(p.SPLITS) } },
    }
  end,
  -- What the first launch hands to the second, computed plainly: where an answer is wrong, each is tried alone.
  stages = function(p, w, device)
    local partials = w.B * w.Hq * w.Sq * p.SPLITS
    return {
      stage { "partial", steps = 1, tolerance = 1e-3,
              results = { o_partial = "f32", max_partial = "f32", sum_partial = "f32" },
              reference = launch { entry = "plain_partial<$dtype,$D>", grid = { cdiv(partials, 128) }, block = { 128 },
                                   args = { "q", "k", "v", "o_partial", "max_partial", "sum_partial", "scale", i32(w.B),
                                            i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk), i32(w.causal), i32(p.SPLITS),
                                            i32(p.BLOCK_N) } } },
    }
  end,
}
