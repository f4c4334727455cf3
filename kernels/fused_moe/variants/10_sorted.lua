local function of_token(w) return w.K + (w.shared and 1 or 0) end
local function experts(w) return w.E + (w.shared and 1 or 0) end

return variant {
  technique = "sorted-tokens", risk = "low", multi_kernel = true,
  -- An element from shared memory serves four multiply-adds, one from the L2 served one.
  estimate  = function(w)
    local of_expert = w.T * w.K / w.E
    return { speedup = of_expert >= 16 and { 2, 10 } or { 0.3, 3 }, probability = 0.95, evaluations = 4 }
  end,
  params = { ROWS = { values = { 16, 32, 64 }, bind = "template" } },  -- of a tile; four rows a thread
  start  = function(w) return { { ROWS = w.T * w.K >= 48 * w.E and 64 or 16 } } end,
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
    local tiles = rows // p.ROWS + min(experts(w), rows)  -- at most: each expert may have a part of one
    local counts = w.routed and "counts" or "offsets"
    local shape = { i32(w.H), i32(w.I), i32(experts(w)), i32(w.T), i32(of_token(w)) }
    local products = {
      launch { entry = "inner_products<$routed,$ROWS>", grid = { cdiv(w.I, 64) * tiles }, block = { 4 * p.ROWS },
               args = { "x", "gate_up", counts, "lists", "inner", table.unpack(shape) } },
      launch { entry = "outer_products<$routed,$ROWS>", grid = { cdiv(w.H, 64) * tiles }, block = { 4 * p.ROWS },
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
