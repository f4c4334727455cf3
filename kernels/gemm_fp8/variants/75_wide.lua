-- Bytes of a stage: a slice of a and of b, 128 of K deep, and the scales of 128 rows.
local STAGE = 128 * (128 + 256) + 4 * 128

return variant {
  technique = "wide-tiles", risk = "high",
  -- Over 70_specialized: 980 us at 8192^3 to 800, because the L2 delivers 24 KB, or 16, where it delivered 32.
  estimate  = function(w) return { speedup = w.M >= 512 and { 250, 2500 } or { 50, 400 }, probability = 0.8, evaluations = 12 } end,
  requires  = { arch = ">=90a" },
  params = {
    STAGES  = { values = { 3, 4 }, bind = "template" },
    CLUSTER = { values = { 1, 2 }, bind = "template" },        -- blocks that load b for each other
    TURNS   = { values = { 0, 1 }, bind = "template" },        -- 1: warpgroups start products in turns
    GROUP   = { values = { 1, 4, 8, 16 }, bind = "scalar" },   -- rows of tiles whose columns come first, for the L2
  },
  start = function(w)
    local group = w.M >= 1024 and 8 or 1
    return { { STAGES = 4, CLUSTER = 2, TURNS = 1, GROUP = group }, { STAGES = 4, CLUSTER = 1, TURNS = 1, GROUP = group },
             { STAGES = 4, CLUSTER = 1, TURNS = 0, GROUP = group } }
  end,
  valid = function(p, w, device)
    return all_of(divisible(w.M, 4), le(p.STAGES * STAGE + 1024, device.max_shared_bytes),
                  le(128 * p.CLUSTER, round_up(w.M, 64 * p.CLUSTER)), le(256, round_up(w.N, 128)))
  end,
  steps = function(p, w, device)
    local function map(name, rows) return tensor_map { name, box = { rows, 128 }, swizzle = "128b", promotion = "256b" } end
    return { launch { entry = "gemm_fp8_wide<$STAGES,$CLUSTER,$TURNS>",
                      grid = { p.CLUSTER * cdiv(w.M, 128 * p.CLUSTER) * cdiv(w.N, 256) }, resident = 1,
                      cluster = { p.CLUSTER }, block = { 384 }, shared = p.STAGES * STAGE,
                      args = { map("a", 128), map("b", 256 // p.CLUSTER),
                               tensor_map { "a_scale", box = { 1, 128 }, swizzle = "none", promotion = "256b" }, "b_scale",
                               "d", i32(w.M), i32(w.N), i32(w.K), i32(p.GROUP) } } }
  end,
}
