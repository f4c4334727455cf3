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
  estimate  = { speedup = { 100, 2000 }, probability = 0.7, evaluations = 60 },
  requires  = { arch = ">=90a" },
  params = {
    WARPGROUPS = { values = { 1, 2, 3 }, bind = "template" },  -- that compute, 64 query rows each
    BLOCK_N    = { values = { 64, 80, 96, 112, 128, 144, 160, 176, 192, 256 }, bind = "template" },  -- keys of a tile
    STAGES     = { values = { 2, 3, 4 }, bind = "template" },  -- pairs of K and V tiles
    SCHEDULE   = { values = { 0, 1 }, bind = "template" },     -- 1: products overlap with exponentials
    PINGPONG   = { values = { 0, 1 }, bind = "template" },     -- warpgroups take turns at the tensor cores
    LONGEST    = { values = { 0, 1 }, bind = "template" },     -- order of the blocks, 1: heads side by side
    PACK       = { values = { 0, 1 }, bind = "template" },     -- 1: heads that share keys share a tile
  },
  start = function(w)
    local pack = w.Hkv < w.Hq and 1 or 0
    return { { WARPGROUPS = 2, BLOCK_N = 128, SCHEDULE = 1, LONGEST = 1, PACK = pack },
             { WARPGROUPS = 2, BLOCK_N = 64, STAGES = 2, LONGEST = 1, PACK = pack },  -- windows, and D = 256
             { WARPGROUPS = 1, BLOCK_N = 128, STAGES = 2, LONGEST = 1, PACK = pack } }
  end,
  valid = function(p, w, device)
    -- output, scores and, where they overlap with the next ones, packed scores of a lane, beside 40 registers for everything else
    local registers = (width(w) + p.BLOCK_N) // 2 + p.SCHEDULE * p.BLOCK_N // 4 + 40
    return all_of(le(registers, REGISTERS[p.WARPGROUPS]),
                  p.PINGPONG == 0 or p.WARPGROUPS > 1,
                  p.PACK == 0 or all_of(lt(w.Hkv, w.Hq), divisible(64 * p.WARPGROUPS, w.Hq // w.Hkv)),
                  le(shared_bytes(p, w) + 1024, device.max_shared_bytes))
  end,
  steps = function(p, w, device)
    local heads = p.PACK == 1 and w.Hq // w.Hkv or 1  -- of a tile
    local function map(name, rows, of_row)
      return tensor_map { name, box = { rows, of_row, 64 }, swizzle = "128b", promotion = "256b" }
    end
    local tiles = w.Tq // (64 * p.WARPGROUPS // heads) + w.B
    return { launch { entry = "attention_specialized<$dtype,$D,$Hq,$Hkv,$cap,$WARPGROUPS,$BLOCK_N,$STAGES,$SCHEDULE,$PINGPONG,$LONGEST,$PACK>",
                      grid = p.LONGEST == 1 and { w.Hq // heads, tiles } or { tiles, w.Hq // heads },
                      block = { 128 * (p.WARPGROUPS + 1) }, shared = shared_bytes(p, w),
                      args = { map("q", 64 * p.WARPGROUPS // heads, heads), map("k", p.BLOCK_N, 1), map("v", p.BLOCK_N, 1), "cu_q",
                               "cu_k", "sinks", "o", "scale", "cap", i32(w.B), i32(w.window), i32(w.causal) } } }
  end,
}
