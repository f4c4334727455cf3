-- Bytes of a stage: a slice of a and of b, 64 of K deep.
local function stage_bytes(p) return 128 * (64 * p.WARPGROUPS * p.ROWS + p.BLOCK_N) end

-- What setmaxnreg leaves to a lane that computes.
local REGISTERS = { 240, 240, 160 }

return variant {
  technique = "warp-specialized", risk = "high",
  estimate  = function(w)
    local large = w.M >= 512
    return { speedup = large and { 300, 2000 } or { 20, 300 }, probability = 0.8, evaluations = 40 }
  end,
  requires  = { arch = ">=90a" },
  params = {
    WARPGROUPS = { values = { 1, 2, 3 }, bind = "template" },  -- that compute
    ROWS       = { values = { 1, 2 }, bind = "template" },     -- times 64 rows of d for each of them
    BLOCK_N    = { values = { 64, 128, 192, 256 }, bind = "template" },
    STAGES     = { values = { 3, 4, 5, 6, 8 }, bind = "template" },
    CLUSTER    = { values = { 1, 2 }, bind = "template" },     -- blocks that load b for each other
    GROUP      = { values = { 1, 4, 8, 16 }, bind = "scalar" },  -- rows of tiles whose columns come first, for the L2
  },
  -- The tile that moves the fewest bytes for a product, as long as there is one for most multiprocessors.
  start = function(w)
    local shapes = { { 2, 1, 256, 4 }, { 3, 1, 128, 4 }, { 2, 1, 128, 5 }, { 1, 1, 128, 6 }, { 1, 1, 64, 8 } }
    local fitting, others = {}, {}
    for _, shape in ipairs(shapes) do
      local tiles = cdiv(w.M, 64 * shape[1] * shape[2]) * cdiv(w.N, shape[3])
      local list = tiles >= 100 and fitting or others
      table.insert(list, list == fitting and #list + 1 or 1,
                   { WARPGROUPS = shape[1], ROWS = shape[2], BLOCK_N = shape[3], STAGES = shape[4], CLUSTER = 1,
                     GROUP = w.M >= 1024 and 8 or 1 })
    end
    for _, start in ipairs(others) do fitting[#fitting + 1] = start end
    return fitting
  end,
  valid = function(p, w, device)
    -- accumulators of a lane, beside 40 registers for everything else
    local registers = p.ROWS * p.BLOCK_N // 2 + 40
    return registers <= REGISTERS[p.WARPGROUPS] and (p.CLUSTER == 1 or w.linear or p.BLOCK_N % (64 * p.CLUSTER) == 0)
      and all_of(le(p.STAGES * stage_bytes(p) + 1024, device.max_shared_bytes),
                 le(64 * p.WARPGROUPS * p.ROWS * p.CLUSTER, round_up(w.M, 64 * p.CLUSTER)), le(p.BLOCK_N, round_up(w.N, 64)))
  end,
  steps = function(p, w, device)
    local block_m = 64 * p.WARPGROUPS * p.ROWS
    local function map(name, rows)
      return tensor_map { name, box = { rows, 64 }, swizzle = "128b", promotion = "256b" }
    end
    return { launch { entry = "gemm_specialized<$dtype,$out,$bias,$gelu,$silu,$other,$residual,$linear,$WARPGROUPS,$ROWS,$BLOCK_N,$STAGES,$CLUSTER>",
                      grid = { p.CLUSTER * cdiv(w.M, block_m * p.CLUSTER) * cdiv(w.N, p.BLOCK_N) }, resident = 1,
                     cluster = { p.CLUSTER },
                      block = { 128 * (p.WARPGROUPS + 1) }, shared = p.STAGES * stage_bytes(p),
                      args = { map("a", min(256, block_m)), map("b", w.linear and p.BLOCK_N // p.CLUSTER or 64), "bias", "other", "residual",
                               "d", i32(w.M), i32(w.N), i32(w.K), i64(w.ldd), i32(p.GROUP) } } }
  end,
}
