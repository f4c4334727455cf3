local ROWS = 16  -- of a tile: query rows of all heads that share a key/value head

local function rows_of_group(w) return w.Hq // w.Hkv * w.Sq end

local function tiles_of(w) return w.B * w.Hkv * cdiv(rows_of_group(w), ROWS) end

-- Of every warp the queries and a ring of K and V tiles.
local function shared_bytes(p, w)
  return 2 * w.D * (ROWS + p.RING * p.BLOCK_N) * p.KEY_WARPS
end

return variant {
  technique = "decode", risk = "medium",
  estimate  = { speedup = { 20, 200 }, probability = 0.7, evaluations = 40 },
  requires  = { arch = ">=80" },
  params = {
    SPLITS    = { values = { 1, 2, 4, 8, 16, 32, 64 }, bind = "launch" },  -- ranges of keys, a block each
    KEY_WARPS = { values = { 2, 4, 8 }, bind = "template" },               -- of a block, which share its range
    BLOCK_N   = { values = { 16, 32, 64 }, bind = "template" },            -- keys of a tile
    RING      = { values = { 3, 4, 6, 8 }, bind = "template" },            -- tiles of K and V of a warp in shared memory
  },
  start = { { SPLITS = 16, KEY_WARPS = 4, BLOCK_N = 32, RING = 3 }, { SPLITS = 1, KEY_WARPS = 4, BLOCK_N = 32, RING = 3 } },
  valid = function(p, w, device)
    return all_of(
      p.RING * p.BLOCK_N >= 64,
      -- a split without a tile for each warp only adds work, and so does one more where there are blocks enough
      le(p.SPLITS, max(1, min(cdiv(w.Sk, p.BLOCK_N * p.KEY_WARPS), 2048 // tiles_of(w)))),
      le(shared_bytes(p, w) + 1024 + 128 * p.KEY_WARPS, device.max_shared_bytes))
  end,
  workspaces = function(p, w, device)
    local tiles = tiles_of(w)
    local partials = tiles * p.SPLITS * ROWS
    return {
      workspace { "o_partial",   bytes = 4 * partials * w.D, align = 256, init = "dirty" },
      workspace { "max_partial", bytes = 4 * partials,       align = 256, init = "dirty" },
      workspace { "sum_partial", bytes = 4 * partials,       align = 256, init = "dirty" },
      workspace { "arrived",     bytes = 4 * tiles,          align = 256, init = "zeroed" },
    }
  end,
  steps = function(p, w, device)
    return { launch { entry = "attention_decode<$dtype,$D,$KEY_WARPS,$BLOCK_N,$RING>",
                      grid = { p.SPLITS * cdiv(rows_of_group(w), ROWS), w.B * w.Hkv }, block = { 32 * p.KEY_WARPS },
                      shared = shared_bytes(p, w),
                      args = { "q", "k", "v", "o", "lse", "o_partial", "max_partial", "sum_partial", "arrived", "scale",
                               i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk), i32(w.causal), i32(p.SPLITS) } } }
  end,
}
