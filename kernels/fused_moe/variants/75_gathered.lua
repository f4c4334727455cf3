-- Bytes of a stage: a slice of rows and of weights, 64 of K deep.
local function stage_bytes(p) return 128 * (64 * p.WARPGROUPS * p.ROWS + p.BLOCK_N) end
local function of_token(w) return w.K + (w.shared and 1 or 0) end
local function experts(w) return w.E + (w.shared and 1 or 0) end

-- What setmaxnreg leaves to a lane that computes.
local REGISTERS = { 224, 224, 144 }

return variant {
  technique = "gathered-rows", risk = "high", multi_kernel = true,
  -- 70_grouped less the copy of the rows: 2 * 2 * rows * H bytes, from a hundredth (wide experts) to a third of its time.
  estimate  = function(w)
    local of_expert = w.T * w.K / w.E
    return { speedup = of_expert >= 64 and { 45, 330 } or of_expert >= 4 and { 3, 40 } or { 0.7, 4 }, probability = 0.7,
             evaluations = 20 }
  end,
  requires  = { arch = ">=90a" },
  params = {
    WARPGROUPS = { values = { 1, 2, 3 }, bind = "template" },  -- that compute
    ROWS       = { values = { 1, 2 }, bind = "template" },     -- times 64 tokens for each of them
    BLOCK_N    = { values = { 128, 192, 256 }, bind = "template" },  -- columns; of gate and up together in the first product
    STAGES     = { values = { 3, 4, 5, 6, 8 }, bind = "template" },
    AHEAD      = { values = { 0, 1, 2 }, bind = "template" },  -- slices by which the first warpgroup is
    GROUP      = { values = { 1, 4, 16 }, bind = "scalar" },  -- tiles of an expert's rows whose columns come first, for the L2
  },
  start = function(w)
    local of_expert = w.T * w.K / w.E
    if of_expert >= 100 then
      return { { WARPGROUPS = 2, ROWS = 1, BLOCK_N = 256, STAGES = 4, AHEAD = 1, GROUP = 16 },
               { WARPGROUPS = 3, ROWS = 1, BLOCK_N = 128, STAGES = 4, AHEAD = 1, GROUP = 16 } }
    end
    return { { WARPGROUPS = 1, ROWS = 1, BLOCK_N = 256, STAGES = 5, GROUP = 4 }, { WARPGROUPS = 1, ROWS = 1, BLOCK_N = 128, STAGES = 8, GROUP = 4 } }
  end,
  valid = function(p, w, device)
    local registers = p.ROWS * p.BLOCK_N // 2 + 40  -- accumulators of a lane, beside those for everything else
    return w.routed and registers <= REGISTERS[p.WARPGROUPS] and p.WARPGROUPS * p.ROWS <= 4 and (p.AHEAD == 0 or p.WARPGROUPS > 1)
      and le(p.STAGES * stage_bytes(p) + 8192, device.max_shared_bytes)
  end,
  workspaces = function(p, w, device)
    local rows = w.T * of_token(w)
    return {
      workspace { "counts", bytes = 4 * experts(w), align = 256 },
      workspace { "lists", bytes = 4 * w.T * experts(w), align = 256 },
      workspace { "weights", bytes = 4 * rows, align = 256 },
      workspace { "inner", bytes = 2 * rows * w.I, align = 256 },
      workspace { "outer", bytes = 2 * rows * w.H, align = 256 },
    }
  end,
  steps = function(p, w, device)
    local rows, block_m = w.T * of_token(w), 64 * p.WARPGROUPS * p.ROWS
    local tiles = rows // block_m + min(experts(w), rows)  -- at most: each expert may have a part of one
    local function weight_map(name)
      return tensor_map { name, box = { 1, p.BLOCK_N // 2, 64 }, swizzle = "128b", promotion = "256b" }
    end
    return {
      memset { "counts", value = 0 },
      launch { entry = "choose", grid = { cdiv(w.T, 4) }, block = { 128 },
               args = { "logits", "counts", "lists", "weights", i32(w.T), i32(w.E), i32(w.K), i32(of_token(w)) } },
      launch { entry = "inner_products<$WARPGROUPS,$ROWS,$BLOCK_N,$STAGES,$AHEAD>", grid = { cdiv(w.I, p.BLOCK_N // 2) * tiles },
               resident = 1, pdl = true, block = { 128 * (p.WARPGROUPS + 1) }, shared = p.STAGES * stage_bytes(p),
               args = { "x", weight_map "gate_up", "counts", "lists", "inner", i32(w.I), i32(w.H), i32(experts(w)), i32(w.T),
                        i32(of_token(w)), i32(p.GROUP) } },
      launch { entry = "outer_products<$WARPGROUPS,$ROWS,$BLOCK_N,$STAGES,$AHEAD>", grid = { cdiv(w.H, p.BLOCK_N) * tiles },
               resident = 1, pdl = true, block = { 128 * (p.WARPGROUPS + 1) }, shared = p.STAGES * stage_bytes(p),
               args = { tensor_map { "inner", box = { block_m, 64 }, swizzle = "128b", promotion = "256b", shape = { rows, w.I }, dtype = "bf16" },
                        weight_map "down", "counts", "lists", "outer", i32(w.H), i32(w.I), i32(experts(w)), i32(w.T), i32(p.GROUP) } },
      launch { entry = "weighted_sum", grid = { cdiv(w.T * w.H, 8 * 256) }, block = { 256 }, pdl = true,
               args = { "outer", "weights", "y", i32(w.T), i32(w.H), i32(of_token(w)) } },
    }
  end,
}
