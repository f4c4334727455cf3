local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }
local function row_of(w) return w.N * bytes_of[w.dtype] end
local function shared_bytes(p, w) return p.WARPS * p.PIECES * p.ROWS * row_of(w) end

return variant {
  technique = "all-at-once", risk = "medium",
  -- Over 20_spread: 1.05 to 1.15.
  estimate  = { speedup = { 4, 22 }, probability = 0.8, evaluations = 20 },
  requires  = { arch = ">=90" },
  params = {
    ROWS   = { values = { 1, 2, 4, 8, 16, 32 }, bind = "template" },         -- of a piece, which one lane asks for
    WARPS  = { values = { 1, 2, 4, 8 }, bind = "template" },
    PIECES = { values = { 2, 4, 6, 8, 12, 16, 24, 32 }, bind = "template" },  -- that a warp has under way
    PER_SM = { values = { 1, 2, 3, 4, 6 }, bind = "launch" },                -- blocks of a multiprocessor
  },
  start = { { ROWS = 8, WARPS = 4, PIECES = 24, PER_SM = 1 }, { ROWS = 8, WARPS = 4, PIECES = 12, PER_SM = 2 },
            { ROWS = 16, WARPS = 4, PIECES = 12, PER_SM = 1 }, { ROWS = 4, WARPS = 4, PIECES = 24, PER_SM = 2 },
            { ROWS = 2, WARPS = 4, PIECES = 12, PER_SM = 1 }, { ROWS = 1, WARPS = 2, PIECES = 8, PER_SM = 1 } },
  valid = function(p, w, device)
    return all_of(le(p.ROWS, w.block), divisible(row_of(w), 16), le(p.ROWS * row_of(w), 32768),
                  le(p.PER_SM * (shared_bytes(p, w) + 4096), device.max_shared_bytes + 1024))
  end,
  steps = function(p, w, device)
    return { launch { entry = "gather_at_once<$dtype,$block,$N,$ROWS,$WARPS,$PIECES>",
                      grid = { max(1, device.multiprocessors * p.PER_SM) }, block = { 32 * p.WARPS }, shared = shared_bytes(p, w),
                      args = { "pool", "lengths", "block_table", "out", i32(w.B), i32(w.max_pages) } } }
  end,
}
