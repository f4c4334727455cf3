local function rows_of_group(w) return w.Hq // w.Hkv * w.Sq end
local function tile_rows(w) return rows_of_group(w) > 8 and 16 or 8 end
local function tiles_of(w) return w.B * w.Hkv * cdiv(rows_of_group(w), tile_rows(w)) end
local function shared_bytes(p, w)
  return max(2 * w.D * p.BLOCK_N * p.RING * p.WARPS, 4 * tile_rows(w) * max(p.WARPS * (w.D + 1), p.SPLITS))
end

return variant {
  technique = "decode", risk = "medium",
  estimate  = { speedup = { 20, 200 }, probability = 0.7, evaluations = 40 },
  requires  = { arch = ">=90" },
  params = {
    SPLITS  = { values = { 1, 2, 4, 8, 16, 32, 64 }, bind = "launch" },
    WARPS   = { values = { 2, 4, 8, 16 }, bind = "template" },
    BLOCK_N = { values = { 16, 32, 64, 128 }, bind = "template" },
    RING    = { values = { 2, 3, 4, 6, 8 }, bind = "template" },
  },
  start = { { SPLITS = 16, WARPS = 4, BLOCK_N = 32, RING = 4 }, { SPLITS = 1, WARPS = 4, BLOCK_N = 32, RING = 4 } },
  valid = function(p, w, device)
    return all_of(
      le(p.SPLITS, max(1, min(cdiv(w.Sk, p.BLOCK_N * p.WARPS), 2048 // tiles_of(w)))),
      le(32768, shared_bytes(p, w)),
      le(shared_bytes(p, w) + 1024 + 128 * p.WARPS + 8 * p.RING * p.WARPS, device.max_shared_bytes))
  end,
  workspaces = function(p, w, device)
    local partials = tiles_of(w) * p.SPLITS * tile_rows(w)
    return {
      workspace { "o_partial",   bytes = 4 * partials * w.D, align = 256, init = "dirty" },
      workspace { "max_partial", bytes = 4 * partials,       align = 256, init = "dirty" },
      workspace { "sum_partial", bytes = 4 * partials,       align = 256, init = "dirty" },
      workspace { "arrived",     bytes = 4 * tiles_of(w),    align = 256, init = "zeroed" },
    }
  end,
  steps = function(p, w, device)
    local function map(name)
      return tensor_map { name, box = { 1, 1, p.BLOCK_N, 64 }, swizzle = "128b", promotion = "256b" }
    end
    return { launch { entry = "attention_decode_tma<$dtype,$D," .. tile_rows(w) // 8 .. ",$WARPS,$BLOCK_N,$RING>",
                      grid = { p.SPLITS * cdiv(rows_of_group(w), tile_rows(w)), w.B * w.Hkv }, block = { 32 * p.WARPS },
                      shared = shared_bytes(p, w),
                      args = { "q", map("k"), map("v"), "o", "lse", "o_partial", "max_partial", "sum_partial", "arrived", "scale",
                               i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk), i32(w.causal), i32(p.SPLITS) } } }
  end,
}
