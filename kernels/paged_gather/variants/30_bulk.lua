local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }
local function row_of(w) return w.N * bytes_of[w.dtype] end

return variant {
  technique = "bulk-copies", risk = "medium",
  estimate  = { speedup = { 4, 20 }, probability = 0.8, evaluations = 15 },
  requires  = { arch = ">=90" },
  params = {
    WARPS  = { values = { 1, 2, 4, 8 }, bind = "template" },
    RING   = { values = { 2, 3, 4, 6, 8 }, bind = "template" },     -- pages that a warp has under way
    BLOCKS = { values = { 1, 2, 3, 4, 6, 8, 12, 16, 32 }, bind = "launch" },  -- that share a sequence
  },
  -- Long sequences and short ones lie on one multiprocessor when it has several blocks, and all have begun at once.
  start = { { WARPS = 4, RING = 4, BLOCKS = 6 }, { WARPS = 2, RING = 6, BLOCKS = 8 }, { WARPS = 1, RING = 2, BLOCKS = 1 } },
  valid = function(p, w, device)
    return all_of(divisible(row_of(w), 16), le(p.BLOCKS, w.max_pages),
                  le(p.WARPS * p.RING * w.block * row_of(w) + 1024, device.max_shared_bytes))
  end,
  steps = function(p, w, device)
    return { launch { entry = "gather_bulk<$dtype,$block,$N,$WARPS,$RING>",
                      grid = { p.BLOCKS, w.B }, block = { 32 * p.WARPS }, shared = p.WARPS * p.RING * w.block * row_of(w),
                      args = { "pool", "lengths", "block_table", "out", i32(w.max_pages) } } }
  end,
}
