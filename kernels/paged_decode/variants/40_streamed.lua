local function group_of(w) return w.Hq // w.Hkv end
local function tiles_of(p, w) return w.B * w.Hkv * cdiv(group_of(w), p.ROWS) end
-- Of the warps' results when they meet.
local function shared_bytes(p, w) return 4 * p.ROWS * p.WARPS * (w.D + 3) end
-- Of a lane: queries, outputs and tiles, beside 60 for everything else.
local function registers_of(p, w) return 3 * p.ROWS * w.D // 64 + p.RING * w.D // 2 + 60 end

return variant {
  technique = "streamed-pages", risk = "medium",
  estimate  = { speedup = { 20, 400 }, probability = 0.8, evaluations = 30 },
  requires  = { arch = ">=80" },
  params = {
    ROWS   = { values = { 8, 16 }, bind = "template" },                 -- of a tile: query heads that share keys
    SPLITS = { values = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64 }, bind = "launch" },  -- ranges of a sequence, a block each
    WARPS  = { values = { 2, 4, 6, 8 }, bind = "template" },           -- of a block, which share its range
    RING   = { values = { 1, 2, 3 }, bind = "template" },               -- tiles of 16 keys that a warp has under way
  },
  -- About three blocks a multiprocessor; a range has at least a tile for each warp.
  start = function(w)
    local tiles = w.B * w.Hkv * cdiv(group_of(w), 8)
    local splits = 1
    while splits < 64 and splits * tiles < 400 and splits * 128 < w.max_pages * w.block do splits = 2 * splits end
    return { { ROWS = 8, SPLITS = splits, WARPS = 4, RING = 2 }, { ROWS = 8, SPLITS = splits, WARPS = 8, RING = 1 },
             { ROWS = 8, SPLITS = 1, WARPS = 4, RING = 1 } }
  end,
  valid = function(p, w, device)
    return all_of(
      any_of(p.ROWS == 8, le(9, group_of(w))),
      le(registers_of(p, w), min(255, 2048 // p.WARPS)),
      le(p.SPLITS, max(1, min(cdiv(w.max_pages * w.block, 16 * p.WARPS), cdiv(4096, tiles_of(p, w))))))
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
    return { launch { entry = "decode_streamed<$dtype,$D,$block,$ROWS,$WARPS,$RING>",
                      grid = { p.SPLITS * cdiv(group_of(w), p.ROWS), w.B * w.Hkv }, block = { 32 * p.WARPS },
                      shared = shared_bytes(p, w),
                      args = { "q", "k_pages", "v_pages", "lengths", "page_table", "o", "o_partial", "max_partial", "sum_partial",
                               "arrived", "scale", i32(w.Hq), i32(w.Hkv), i32(w.max_pages), i32(p.SPLITS) } } }
  end,
}
