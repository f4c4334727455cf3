local function rows_of_group(w) return w.Hq // w.Hkv * w.Sq end

local function tiles_of(p, w) return w.B * w.Hkv * cdiv(rows_of_group(w), p.ROWS) end

-- The rings, and when they are empty the warps' results.
local function shared_bytes(p, w)
  return max(2 * w.D * p.KEYS * p.RING * p.WARPS, 4 * p.ROWS * p.WARPS * (w.D + 3))
end

return variant {
  technique = "decode", risk = "medium",
  estimate  = function(w)
    return { speedup = rows_of_group(w) <= 32 and { 20, 200 } or { 5, 50 }, probability = 0.7, evaluations = 40 }
  end,
  requires  = { arch = ">=90" },
  params = {
    ROWS   = { values = { 8, 16 }, bind = "template" },                 -- of a tile: queries that share keys
    SPLITS = { values = { 1, 2, 4, 8, 16, 32, 64 }, bind = "launch" },  -- ranges of keys, a block each
    WARPS  = { values = { 2, 4, 6, 8 }, bind = "template" },            -- of a block, which share its range
    KEYS   = { values = { 16, 32, 64 }, bind = "template" },            -- of a copy
    RING   = { values = { 2, 3, 4, 6 }, bind = "template" },            -- copies that a warp has under way
  },
  -- A ring fills a multiprocessor's shared memory: one block on each, which reads its range once, is the first guess.
  start = function(w)
    local splits = 1
    while 2 * splits * tiles_of({ ROWS = 8 }, w) <= 132 do splits = 2 * splits end
    return { { SPLITS = splits, WARPS = 8, KEYS = 16, RING = 4 }, { SPLITS = splits, WARPS = 8, KEYS = 32, RING = 2 },
             { SPLITS = min(64, 4 * splits), WARPS = 8, KEYS = 16, RING = 2 } }
  end,
  valid = function(p, w, device)
    return all_of(
      any_of(p.ROWS == 8, le(9, rows_of_group(w))),
      -- a split without a tile for each warp only adds work, and so does one more where there are blocks enough
      le(p.SPLITS, max(1, min(cdiv(w.Sk, p.KEYS * p.WARPS), 2048 // tiles_of(p, w)))),
      -- a multiprocessor's share of what must be under way, from one block; the registers hold few blocks anyway
      le(32768, shared_bytes(p, w)),
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
    return { launch { entry = "attention_decode_bulk<$dtype,$D,$ROWS,$WARPS,$KEYS,$RING>",
                      grid = { p.SPLITS * cdiv(rows_of_group(w), p.ROWS), w.B * w.Hkv }, block = { 32 * p.WARPS },
                      shared = shared_bytes(p, w),
                      args = { "q", "k", "v", "o", "lse", "o_partial", "max_partial", "sum_partial", "arrived", "scale",
                               i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk), i32(w.causal), i32(p.SPLITS) } } }
  end,
}
