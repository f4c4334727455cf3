-- Bytes of a stage (a slice of a and of b, 64 of K deep), and of the places from which tiles leave, 2 KB a warp and part.
local function stage_bytes(p) return 128 * (64 * p.WARPGROUPS * p.ROWS + p.BLOCK_N) end
local function shared_bytes(p) return p.STAGES * stage_bytes(p) + 8192 * p.WARPGROUPS * p.PARTS end

-- What setmaxnreg leaves to a lane that computes.
local REGISTERS = { 240, 232, 160 }

-- Shapes of tiles with what fits beside them, and how much longer they take for a product than the first: slices of
-- small tiles are more bytes of the L2 for a product.
local SHAPES = {
  { WARPGROUPS = 2, ROWS = 1, BLOCK_N = 256, STAGES = 4, PARTS = 2, longer = 1 },
  { WARPGROUPS = 2, ROWS = 2, BLOCK_N = 128, STAGES = 4, PARTS = 2, longer = 1.02 },
  { WARPGROUPS = 3, ROWS = 1, BLOCK_N = 192, STAGES = 3, PARTS = 3, longer = 1.01 },
  { WARPGROUPS = 2, ROWS = 1, BLOCK_N = 192, STAGES = 4, PARTS = 3, longer = 1.04 },
  { WARPGROUPS = 3, ROWS = 1, BLOCK_N = 128, STAGES = 4, PARTS = 2, longer = 1.05 },
  { WARPGROUPS = 2, ROWS = 1, BLOCK_N = 128, STAGES = 5, PARTS = 2, longer = 1.1 },
  { WARPGROUPS = 1, ROWS = 1, BLOCK_N = 256, STAGES = 4, PARTS = 4, longer = 1.2 },
  { WARPGROUPS = 1, ROWS = 1, BLOCK_N = 128, STAGES = 6, PARTS = 2, longer = 1.4 },
  { WARPGROUPS = 1, ROWS = 1, BLOCK_N = 64, STAGES = 8, PARTS = 1, longer = 2 },
}

local MOST = 3  -- pieces of a tile to begin with
-- A block on each multiprocessor. Without a GPU the blocks of an H200 are counted, and fewer are run.
local function blocks_of(device) return device.kind == "cpu" and 132 or device.multiprocessors end

return variant {
  technique = "stream-k", risk = "high",
  -- Over 72_overlapped: what its last wave leaves idle, less 0.04 waves. 3000 x 10240 x 8192: 8 to 7.35 waves, 1.09;
  -- nothing where the last wave is full.
  estimate  = function(w)
    local large = w.M >= 512
    return { speedup = large and { 330, 2200 } or { 15, 200 }, probability = 0.85, evaluations = 40 }
  end,
  requires  = { arch = ">=90a" },
  params = {
    WARPGROUPS = { values = { 1, 2, 3 }, bind = "template" },  -- that compute
    ROWS       = { values = { 1, 2 }, bind = "template" },     -- times 64 rows of d for each of them
    BLOCK_N    = { values = { 64, 128, 192, 256 }, bind = "template" },
    STAGES     = { values = { 3, 4, 5, 6, 8 }, bind = "template" },
    PARTS      = { values = { 1, 2, 3, 4 }, bind = "template" },  -- of a warp's rows that may be leaving
    MOST       = { values = { 2, 3, 4 }, bind = "scalar" },    -- pieces of a tile
    GROUP      = { values = { 1, 4, 8, 16 }, bind = "scalar" },  -- rows of tiles whose columns come first, for the L2
  },
  -- The shapes in the order of the time that they take on the 132 multiprocessors of an H200: all waves of tiles, and of
  -- a shared one the way of its sums through the L2.
  start = function(w)
    local list = {}
    for _, shape in ipairs(SHAPES) do
      local rows, columns = 64 * shape.WARPGROUPS * shape.ROWS, shape.BLOCK_N
      local tiles = cdiv(w.M, rows) * cdiv(w.N, columns)
      local last = tiles % 132 / 132
      local share = last <= 0.85 and max(last + 160 / w.K, 1 / MOST) or 1
      local waves = tiles // 132 + (last == 0 and 0 or min(1, share))
      local config = { MOST = MOST, GROUP = w.M >= 1024 and 8 or 1 }
      for field, value in pairs(shape) do config[field] = value end
      config.longer = nil
      list[#list + 1] = { config = config, time = waves * rows * columns * shape.longer }
    end
    table.sort(list, function(x, y) return x.time < y.time end)
    local starts = {}
    for i, each in ipairs(list) do starts[i] = each.config end
    return starts
  end,
  valid = function(p, w, device)
    -- accumulators of a lane, beside 40 registers for everything else
    local registers = p.ROWS * p.BLOCK_N // 2 + 40
    local size = w.out == "f32" and 4 or 2
    local parts = p.ROWS * p.BLOCK_N * size // 128
    local reads = w.other or w.residual
    return registers <= REGISTERS[p.WARPGROUPS] and p.PARTS <= parts and (p.PARTS > 1 or parts == 1)
      and not (w.other and w.residual) and not (reads and size == 4)
      and all_of(divisible(w.ldd * size, 16), le(shared_bytes(p) + 1024, device.max_shared_bytes),
                 le(64 * p.WARPGROUPS * p.ROWS, round_up(w.M, 64)), le(p.BLOCK_N, round_up(w.N, 64)))
  end,
  workspaces = function(p, w, device)
    local blocks, warps = blocks_of(device), 4 * p.WARPGROUPS
    return {
      workspace { "partial_sums", bytes = 2 * blocks * warps * 64 * p.ROWS * p.BLOCK_N, align = 256, init = "dirty" },
      workspace { "counters", bytes = 4 * blocks * warps, align = 256, init = "zeroed" },
    }
  end,
  steps = function(p, w, device)
    local block_m = 64 * p.WARPGROUPS * p.ROWS
    local function slice(name, rows)
      return tensor_map { name, box = { rows, 64 }, swizzle = "128b", promotion = "256b" }
    end
    local function part(name)
      return tensor_map { name, box = { 16, w.out == "f32" and 32 or 64 }, swizzle = "128b", promotion = "256b" }
    end
    return { launch { entry = "gemm_shared_wave<$dtype,$out,$bias,$gelu,$silu,$other,$residual,$linear,$WARPGROUPS,$ROWS,$BLOCK_N,$STAGES,$PARTS>",
                      grid = { min(blocks_of(device), p.MOST * cdiv(w.M, block_m) * cdiv(w.N, p.BLOCK_N)) }, resident = 1,
                      block = { 128 * (p.WARPGROUPS + 1) }, shared = shared_bytes(p),
                      args = { slice("a", min(256, block_m)), slice("b", w.linear and p.BLOCK_N or 64),
                               part(w.other and "other" or w.residual and "residual" or "d"), part("d"), "bias",
                               "partial_sums", "counters", i32(w.M), i32(w.N), i32(w.K), i32(p.GROUP), i32(p.MOST) } } }
  end,
}
