local function rows_of_group(w) return w.Hq // w.Hkv * w.Sq end

local function tiles_of(p, w) return w.B * w.Hkv * cdiv(rows_of_group(w), p.ROWS) end

-- Of the warps' results when they meet.
local function shared_bytes(p, w) return 4 * p.ROWS * p.WARPS * (w.D + 3) end

return variant {
  technique = "decode", risk = "medium",
  -- with many tiles all keys are read once more for each
  estimate  = function(w)
    return { speedup = rows_of_group(w) <= 32 and { 20, 200 } or { 5, 50 }, probability = 0.7, evaluations = 40 }
  end,
  requires  = { arch = ">=80" },
  params = {
    ROWS   = { values = { 8, 16 }, bind = "template" },                 -- of a tile: queries that share keys
    SPLITS = { values = { 1, 2, 4, 8, 16, 32, 64 }, bind = "launch" },  -- ranges of keys, a block each
    WARPS  = { values = { 2, 4, 8, 10, 12 }, bind = "template" },       -- of a block, which share its range
    RING   = { values = { 1, 2, 3 }, bind = "template" },               -- tiles of 16 keys that a warp has in flight
  },
  start = { { SPLITS = 16, WARPS = 8, RING = 1 }, { SPLITS = 4, WARPS = 8, RING = 1 }, { SPLITS = 1, WARPS = 8, RING = 1 } },
  valid = function(p, w, device)
    -- queries, outputs and tiles of a lane, beside 40 registers for everything else, of 65,536 in all
    local width = round_up(w.D, 64)
    local registers = 3 * p.ROWS * width // 64 + p.RING * width // 2 + 40
    return all_of(
      any_of(p.ROWS == 8, le(9, rows_of_group(w))),
      le(registers, min(255, 2048 // p.WARPS)),
      -- a split without a tile for each warp only adds work, and so does one more where there are blocks enough
      le(p.SPLITS, max(1, min(cdiv(w.Sk, 16 * p.WARPS), 2048 // tiles_of(p, w)))),
      le(shared_bytes(p, w) + 1024, device.max_shared_bytes))
  end,
  workspaces = function(p, w, device)
    local partials = p.SPLITS > 1 and tiles_of(p, w) * p.SPLITS * p.ROWS or 1  -- of one split nothing is kept
    return {
      workspace { "o_partial",   bytes = 4 * partials * w.D, align = 256, init = "dirty" },
      workspace { "max_partial", bytes = 4 * partials,       align = 256, init = "dirty" },
      workspace { "sum_partial", bytes = 4 * partials,       align = 256, init = "dirty" },
      workspace { "arrived",     bytes = 4 * tiles_of(p, w), align = 256, init = "zeroed" },
    }
  end,
  steps = function(p, w, device)
    return { launch { entry = "attention_decode<$dtype,$D,$ROWS,$WARPS,$RING>",
                      grid = { p.SPLITS * cdiv(rows_of_group(w), p.ROWS), w.B * w.Hkv }, block = { 32 * p.WARPS },
                      shared = shared_bytes(p, w),
                      args = { "q", "k", "v", "o", "lse", "o_partial", "max_partial", "sum_partial", "arrived", "scale",
                               i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk), i32(w.causal), i32(p.SPLITS) } } }
  end,
}
