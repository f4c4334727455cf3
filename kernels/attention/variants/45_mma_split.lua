-- Bytes of MmaTile: the queries, and a ring of K and V tiles. Where rows are not swizzled they have one chunk of 16 bytes more.
local function shared_bytes(p, w)
  local row = select(all_of(divisible(w.D, 64), divisible(256, w.D)), 2 * w.D, 32 * cdiv(w.D, 16) + 16)
  return row * (16 * p.WARPS * p.TILES + p.RING * p.BLOCK_N)
end

local COMBINE_ROWS = 4  -- rows of a block of the second kernel, a warp each

return variant {
  technique = "split-kv", risk = "medium", multi_kernel = true,
  -- more blocks help where there are few
  estimate  = function(w)
    local few = w.B * w.Hq * cdiv(w.Sq, 64) < 512
    return { speedup = few and { 50, 300 } or { 40, 200 }, probability = 0.7, evaluations = 40 }
  end,
  requires  = { arch = ">=80" },
  params = {
    SPLITS      = { values = { 2, 3, 4, 8, 16, 32 }, bind = "launch" },  -- ranges of keys, a block each
    WARPS       = { values = { 1, 2, 4 }, bind = "template" },
    TILES       = { values = { 1, 2 }, bind = "template" },              -- of 16 query rows of a warp
    BLOCK_N     = { values = { 32, 64, 128 }, bind = "template" },       -- keys of a tile
    RING        = { values = { 2, 4, 6 }, bind = "template" },           -- tiles of K and V in shared memory
    Q_REGISTERS = { values = { 0, 1 }, bind = "template" },              -- queries stay in registers, or are read again for each tile
    PDL         = { values = { 0, 1 }, bind = "launch" },                -- the second kernel begins under the first
  },
  valid = function(p, w, device)
    local registers = p.TILES * (w.D + p.BLOCK_N) // 2 + p.Q_REGISTERS * p.TILES * w.D // 4
    return all_of(
      le(90 * p.PDL, device.compute_capability),
      le(registers, 195),
      -- a split without a tile of its own only adds work to the second kernel (but 2 must work on any length)
      le(p.SPLITS, max(2, cdiv(w.Sk, p.BLOCK_N))),
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
      launch { entry = "attention_mma_partial<$dtype,$D,$WARPS,$TILES,$BLOCK_N,$RING,$Q_REGISTERS>",
               grid = { cdiv(w.Sq, 16 * p.WARPS * p.TILES) * p.SPLITS, w.Hq, w.B }, block = { 32 * p.WARPS },
               shared = shared_bytes(p, w),
               args = { "q", "k", "v", "o_partial", "max_partial", "sum_partial", "scale", i32(w.Hq), i32(w.Hkv), i32(w.Sq),
                        i32(w.Sk), i32(w.causal), i32(p.SPLITS) } },
      launch { entry = "attention_combine<$dtype,$D>",
               grid = { cdiv(rows, COMBINE_ROWS) }, block = { 32 * COMBINE_ROWS }, shared = 0, pdl = p.PDL == 1,
               args = { "o_partial", "max_partial", "sum_partial", "o", "lse", i32(rows), i32(p.SPLITS) } },
    }
  end,
  -- What the first launch hands to the second, computed plainly; the weights there are not rounded to 16 bits.
  stages = function(p, w, device)
    local partials = w.B * w.Hq * w.Sq * p.SPLITS
    return {
      stage { "partial", steps = 1, tolerance = 1e-2,
              results = { o_partial = "f32", max_partial = "f32", sum_partial = "f32" },
              reference = launch { entry = "plain_partial<$dtype,$D>", grid = { cdiv(partials, 128) }, block = { 128 },
                                   args = { "q", "k", "v", "o_partial", "max_partial", "sum_partial", "scale", i32(w.B),
                                            i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk), i32(w.causal), i32(p.SPLITS),
                                            i32(p.BLOCK_N) } } },
    }
  end,
}
