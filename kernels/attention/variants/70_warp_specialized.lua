-- Columns of a tile: whole panels of 64.
local function width(w) return round_up(w.D, 64) end

-- Bytes: the queries, and STAGES tiles of K and of V.
local function shared_bytes(p, w)
  return 2 * width(w) * (64 * p.WARPGROUPS + 2 * p.STAGES * p.BLOCK_N)
end

-- What setmaxnreg leaves to a lane that computes.
local REGISTERS = { 256, 240, 160 }

return variant {
  technique = "warp-specialization", risk = "high",
  -- a ring pays over many tiles of keys
  estimate  = function(w)
    return { speedup = w.Sk >= 1024 and { 400, 3000 } or { 100, 400 }, probability = 0.7, evaluations = 60 }
  end,
  requires  = { arch = ">=90a" },
  params = {
    WARPGROUPS = { values = { 1, 2, 3 }, bind = "template" },  -- that compute, 64 query rows each
    BLOCK_N    = { values = { 64, 80, 96, 112, 128, 144, 160, 176, 192, 256 }, bind = "template" },  -- keys of a tile
    STAGES     = { values = { 2, 3, 4 }, bind = "template" },  -- pairs of K and V tiles
    SCHEDULE   = { values = { 0, 1 }, bind = "template" },     -- 1: products overlap with exponentials
    PINGPONG   = { values = { 0, 1 }, bind = "template" },     -- warpgroups take turns at the tensor cores
    LONGEST    = { values = { 0, 1 }, bind = "template" },     -- order of the blocks, 1: the longest first, heads side by side
  },
  start = { { WARPGROUPS = 2, BLOCK_N = 176, SCHEDULE = 1 }, { WARPGROUPS = 2, BLOCK_N = 128, SCHEDULE = 1 } },
  valid = function(p, w, device)
    -- output, scores and, where they overlap with the next ones, packed scores of a lane, beside 32 registers for everything else
    local registers = (width(w) + p.BLOCK_N) // 2 + p.SCHEDULE * p.BLOCK_N // 4 + 32
    return all_of(le(registers, REGISTERS[p.WARPGROUPS]),
                  p.PINGPONG == 0 or p.WARPGROUPS > 1,
                  le(shared_bytes(p, w) + 1024, device.max_shared_bytes))
  end,
  steps = function(p, w, device)
    local function map(name, rows)
      return tensor_map { name, box = { 1, 1, rows, 64 }, swizzle = "128b", promotion = "256b" }
    end
    local tiles = cdiv(w.Sq, 64 * p.WARPGROUPS)
    return { launch { entry = "attention_specialized<$dtype,$D,$WARPGROUPS,$BLOCK_N,$STAGES,$SCHEDULE,$PINGPONG,$LONGEST>",
                      grid = p.LONGEST == 1 and { w.Hq, w.B, tiles } or { tiles, w.Hq, w.B },
                      block = { 128 * (p.WARPGROUPS + 1) }, shared = shared_bytes(p, w),
                      args = { map("q", 64 * p.WARPGROUPS), map("k", p.BLOCK_N), map("v", p.BLOCK_N), map("o", 64),
                               "lse", "scale", i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk), i32(w.causal) } } }
  end,
}
