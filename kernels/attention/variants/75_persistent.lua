-- Columns of a tile: whole panels of 64.
local function width(w) return round_up(w.D, 64) end

-- Bytes: QUERIES tiles of queries, and STAGES tiles of K and of V.
local function shared_bytes(p, w)
  return 2 * width(w) * (64 * p.WARPGROUPS * p.QUERIES + 2 * p.STAGES * p.BLOCK_N)
end

-- What setmaxnreg leaves to a lane that computes, by blocks of a multiprocessor and warpgroups of a block.
local REGISTERS = { { 256, 240, 160 }, { 216, 104, 0 } }

return variant {
  technique = "persistent", risk = "high",
  -- staying pays over several query tiles a multiprocessor, and a ring over many tiles of keys
  estimate  = function(w)
    local tiles = w.B * w.Hq * cdiv(w.Sq, 192)
    local speedup = tiles < 264 and { 50, 300 } or (w.Sk < 1024 or tiles < 512) and { 200, 1500 } or { 500, 4000 }
    return { speedup = speedup, probability = 0.7, evaluations = 60 }
  end,
  requires  = { arch = ">=90a" },
  params = {
    WARPGROUPS = { values = { 1, 2, 3 }, bind = "template" },  -- that compute, 64 query rows each
    BLOCK_N    = { values = { 64, 80, 96, 112, 128, 144, 160, 176, 192, 256 }, bind = "template" },  -- keys of a tile
    STAGES     = { values = { 2, 3, 4 }, bind = "template" },  -- pairs of K and V tiles
    SCHEDULE   = { values = { 0, 1 }, bind = "template" },     -- 1: products overlap with exponentials
    PINGPONG   = { values = { 0, 1 }, bind = "template" },     -- warpgroups take turns at the tensor cores
    HEADS      = { values = { 1, 8, 32 }, bind = "template" },  -- of a section, whose longest tiles come first
    QUERIES    = { values = { 1, 2 }, bind = "template" },     -- tiles of queries: with 2 the next one waits in shared memory
    POLYNOMIAL = { values = { 0, 1, 2 }, bind = "template" },  -- quarters of the exponentials without the special function unit
    BLOCKS     = { values = { 1, 2 }, bind = "template" },  -- of a multiprocessor: smaller ones end more evenly where each has few tiles
  },
  start = { { WARPGROUPS = 3, BLOCK_N = 192, STAGES = 2, HEADS = 32, QUERIES = 2 },  -- D = 64
            { WARPGROUPS = 2, BLOCK_N = 64, STAGES = 2, HEADS = 8, BLOCKS = 2 },                -- and few keys
            { WARPGROUPS = 3, BLOCK_N = 128, STAGES = 2, HEADS = 8, QUERIES = 2 },
            { WARPGROUPS = 2, BLOCK_N = 192, STAGES = 2, SCHEDULE = 1, HEADS = 8 } },
  valid = function(p, w, device)
    -- output, scores and, where they overlap with the next ones, packed scores of a lane, beside 32 registers for everything else
    local registers = (width(w) + p.BLOCK_N) // 2 + p.SCHEDULE * p.BLOCK_N // 4 + 32
    return all_of(le(registers, REGISTERS[p.BLOCKS][p.WARPGROUPS]),
                  p.PINGPONG == 0 or p.WARPGROUPS > 1,
                  le(p.HEADS, 2 * w.B * w.Hq),  -- a section larger than all heads is like one that holds them
                  p.POLYNOMIAL == 0 or not w.lse,  -- a log-sum-exp in f32 shows the error of a polynomial, the output does not
                  le(p.POLYNOMIAL * (w.D // 64 - 1), 0),  -- at D = 128 the special function unit rests half of the time
                  le(p.BLOCKS * (shared_bytes(p, w) + 2048), 233472), le(shared_bytes(p, w) + 1024, device.max_shared_bytes))
  end,
  workspaces = function(p, w, device)
    return { workspace { "counter", bytes = 4, align = 256, init = "zeroed" } }
  end,
  steps = function(p, w, device)
    local function map(name, rows)
      return tensor_map { name, box = { 1, 1, rows, 64 }, swizzle = "128b", promotion = "256b" }
    end
    return { launch { entry = "attention_persistent<$dtype,$D,$WARPGROUPS,$BLOCK_N,$STAGES,$SCHEDULE,$PINGPONG,$HEADS,$QUERIES,$POLYNOMIAL,$BLOCKS>",
                      grid = { cdiv(w.Sq, 64 * p.WARPGROUPS) * w.B * w.Hq }, resident = 1,
                      block = { 128 * (p.WARPGROUPS + 1) }, shared = shared_bytes(p, w),
                      args = { map("q", 64 * p.WARPGROUPS), map("k", p.BLOCK_N), map("v", p.BLOCK_N), "o", "lse", "counter",
                               "scale", i32(w.B), i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk), i32(w.causal) } } }
  end,
}
