-- Columns of a tile: whole panels of 64.
local function width(w) return round_up(w.D, 64) end

-- Bytes: the queries, and STAGES tiles of K and of V.
local function shared_bytes(p, w)
  return 2 * width(w) * (64 * p.WARPGROUPS + 2 * p.STAGES * p.BLOCK_N)
end

return variant {
  technique = "wgmma", risk = "medium",
  -- with few keys the setting up of barriers and copies is most of the time
  estimate  = function(w)
    return { speedup = w.Sk >= 512 and { 200, 1500 } or { 100, 400 }, probability = 0.7, evaluations = 30 }
  end,
  requires  = { arch = ">=90a" },
  params = {
    WARPGROUPS = { values = { 1, 2, 3 }, bind = "template" },                       -- of 64 query rows
    BLOCK_N    = { values = { 64, 80, 96, 112, 128, 144, 160, 176, 192 }, bind = "template" },  -- keys of a tile
    STAGES     = { values = { 1, 2, 3, 4 }, bind = "template" },                    -- pairs of K and V tiles
  },
  start = { { WARPGROUPS = 2, BLOCK_N = 128, STAGES = 2 }, { WARPGROUPS = 1, BLOCK_N = 128, STAGES = 2 },
            { WARPGROUPS = 1, BLOCK_N = 64, STAGES = 1 } },
  valid = function(p, w, device)
    -- accumulators and packed scores of a lane, beside about 40 registers for everything else
    local registers = (width(w) + p.BLOCK_N) // 2 + p.BLOCK_N // 4 + 40
    return all_of(le(registers, min(255, 65536 // (128 * p.WARPGROUPS))),
                  le(p.STAGES, cdiv(w.Sk, p.BLOCK_N)),
                  le(shared_bytes(p, w) + 1024, device.max_shared_bytes))
  end,
  steps = function(p, w, device)
    local function map(name, rows)
      return tensor_map { name, box = { 1, 1, rows, 64 }, swizzle = "128b", promotion = "256b" }
    end
    return { launch { entry = "attention_wgmma<$dtype,$D,$WARPGROUPS,$BLOCK_N,$STAGES>",
                      grid = { cdiv(w.Sq, 64 * p.WARPGROUPS), w.Hq, w.B }, block = { 128 * p.WARPGROUPS },
                      shared = shared_bytes(p, w),
                      args = { map("q", 64 * p.WARPGROUPS), map("k", p.BLOCK_N), map("v", p.BLOCK_N), map("o", 64),
                               "lse", "scale", i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk), i32(w.causal) } } }
  end,
}
