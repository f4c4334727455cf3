-- Bytes of a stage: a slice of a and of b, 128 of K deep.
local function stage_bytes(p) return 128 * (64 * p.WARPGROUPS + 128) end

return variant {
  technique = "warp-specialized", risk = "high",
  estimate  = { speedup = { 200, 2000 }, probability = 0.8, evaluations = 20 },
  requires  = { arch = ">=90a" },
  params = {
    WARPGROUPS = { values = { 1, 2, 3 }, bind = "template" },  -- that compute, 64 rows of d each
    STAGES     = { values = { 3, 4, 5, 6, 8 }, bind = "template" },
    CLUSTER    = { values = { 1, 2 }, bind = "template" },     -- blocks that load b for each other
    GROUP      = { values = { 1, 4, 8, 16 }, bind = "scalar" },  -- rows of tiles whose columns come first, for the L2
  },
  start = function(w)
    if w.M <= 64 then return { { WARPGROUPS = 1, STAGES = 8, CLUSTER = 1, GROUP = 1 } } end
    return { { WARPGROUPS = 2, STAGES = 6, CLUSTER = 1, GROUP = 8 }, { WARPGROUPS = 2, STAGES = 6, CLUSTER = 2, GROUP = 8 },
             { WARPGROUPS = 1, STAGES = 6, CLUSTER = 1, GROUP = 8 } }
  end,
  valid = function(p, w, device)
    return all_of(le(p.STAGES * stage_bytes(p) + 1024, device.max_shared_bytes),
                  le(64 * p.WARPGROUPS * p.CLUSTER, round_up(w.M, 64 * p.CLUSTER)))
  end,
  steps = function(p, w, device)
    local function map(name, rows) return tensor_map { name, box = { rows, 128 }, swizzle = "128b", promotion = "256b" } end
    return { launch { entry = "gemm_fp8_specialized<$WARPGROUPS,$STAGES,$CLUSTER>",
                      grid = { p.CLUSTER * cdiv(w.M, 64 * p.WARPGROUPS * p.CLUSTER) * cdiv(w.N, 128) }, resident = 1,
                      cluster = { p.CLUSTER }, block = { 128 * (p.WARPGROUPS + 1) }, shared = p.STAGES * stage_bytes(p),
                      args = { map("a", 64 * p.WARPGROUPS), map("b", 128 // p.CLUSTER), "a_scale", "b_scale", "d", i32(w.M),
                               i32(w.N), i32(w.K), i32(p.GROUP) } } }
  end,
}
