local function shared_bytes(p) return 2 * 64 * (p.BLOCK_M + p.BLOCK_N) * p.STAGES end
local function of_token(w) return w.K + (w.shared and 1 or 0) end
local function experts(w) return w.E + (w.shared and 1 or 0) end

return variant {
  technique = "tensor-cores", risk = "medium", multi_kernel = true,
  -- Each weight is read once for a tile of tokens, not once for each; sums on tensor cores.
  estimate  = function(w)
    local of_expert = w.T * w.K / w.E
    return { speedup = of_expert >= 64 and { 20, 150 } or of_expert >= 4 and { 3, 40 } or { 0.7, 4 }, probability = 0.9,
             evaluations = 20 }
  end,
  requires  = { arch = ">=80" },
  params = {
    BLOCK_M = { values = { 16, 32, 64, 128 }, bind = "template" },  -- tokens of an expert
    BLOCK_N = { values = { 64, 128, 256 }, bind = "template" },     -- columns; of gate and up together in the first product
    WARPS_M = { values = { 1, 2, 4 }, bind = "template" },
    WARPS_N = { values = { 1, 2, 4 }, bind = "template" },
    STAGES  = { values = { 2, 3, 4, 6 }, bind = "template" },       -- slices of K in shared memory
  },
  start = function(w)
    local of_expert = w.T * w.K / w.E
    if of_expert >= 64 then return { { BLOCK_M = 128, BLOCK_N = 128, WARPS_M = 2, WARPS_N = 2, STAGES = 3 } } end
    if of_expert >= 20 then return { { BLOCK_M = 64, BLOCK_N = 128, WARPS_M = 2, WARPS_N = 2, STAGES = 4 } } end
    return { { BLOCK_M = 16, BLOCK_N = 64, WARPS_M = 1, WARPS_N = 4, STAGES = 6 } }
  end,
  valid = function(p, w, device)
    local registers = p.BLOCK_M * p.BLOCK_N // (32 * p.WARPS_M * p.WARPS_N)  -- accumulators of a lane
    return p.BLOCK_M % (16 * p.WARPS_M) == 0 and p.BLOCK_N % (16 * p.WARPS_N) == 0 and registers <= 128 and registers >= 4
      and le(shared_bytes(p), device.max_shared_bytes)
  end,
  workspaces = function(p, w, device)
    local rows = w.T * of_token(w)
    return {
      workspace { "counts", bytes = 4 * experts(w), align = 256 },
      workspace { "lists", bytes = w.routed and 4 * w.T * experts(w) or 4, align = 256 },
      workspace { "weights", bytes = 4 * rows, align = 256 },
      workspace { "inner", bytes = 2 * rows * w.I, align = 256 },
      workspace { "outer", bytes = w.routed and 2 * rows * w.H or 2, align = 256 },
    }
  end,
  steps = function(p, w, device)
    local rows = w.T * of_token(w)
    local tiles = rows // p.BLOCK_M + min(experts(w), rows)  -- at most: each expert may have a part of one
    local counts = w.routed and "counts" or "offsets"
    local shape = { i32(w.H), i32(w.I), i32(experts(w)), i32(w.T), i32(of_token(w)) }
    local products = {
      launch { entry = "inner_products<$routed,$BLOCK_M,$BLOCK_N,$WARPS_M,$WARPS_N,$STAGES>",
               grid = { cdiv(w.I, p.BLOCK_N // 2) * tiles }, block = { 32 * p.WARPS_M * p.WARPS_N }, shared = shared_bytes(p),
               args = { "x", "gate_up", counts, "lists", "inner", table.unpack(shape) } },
      launch { entry = "outer_products<$routed,$BLOCK_M,$BLOCK_N,$WARPS_M,$WARPS_N,$STAGES>",
               grid = { cdiv(w.H, p.BLOCK_N) * tiles }, block = { 32 * p.WARPS_M * p.WARPS_N }, shared = shared_bytes(p),
               args = { "inner", "down", counts, "lists", w.routed and "outer" or "y", table.unpack(shape) } },
    }
    if not w.routed then return products end
    return {
      memset { "counts", value = 0 },
      launch { entry = "choose", grid = { cdiv(w.T, 4) }, block = { 128 },
               args = { "logits", "counts", "lists", "weights", i32(w.T), i32(w.E), i32(w.K), i32(of_token(w)) } },
      products[1], products[2],
      launch { entry = "weighted_sum", grid = { cdiv(w.T * w.H, 8 * 256) }, block = { 256 },
               args = { "outer", "weights", "y", i32(w.T), i32(w.H), i32(of_token(w)) } },
    }
  end,
}
