return variant {
  technique = "mutant", risk = "high", multi_kernel = true,
  estimate  = { speedup = { 1, 1 }, probability = 0.01, evaluations = 1 },
  params    = {},
  workspaces = function(p, w, device)
    local rows, experts = w.T * (w.K + (w.shared and 1 or 0)), w.E + (w.shared and 1 or 0)
    return {
      workspace { "chosen", bytes = 4 * rows, align = 256 },
      workspace { "weight", bytes = 4 * rows, align = 256 },
      workspace { "pairs", bytes = 4 * rows, align = 256 },
      workspace { "begin", bytes = 4 * (experts + 1), align = 256 },
      workspace { "inner", bytes = 2 * rows * w.I, align = 256 },
      workspace { "outer", bytes = 2 * rows * w.H, align = 256 },
    }
  end,
  steps = function(p, w, device)
    local of_token, experts = w.K + (w.shared and 1 or 0), w.E + (w.shared and 1 or 0)
    local rows = w.T * of_token
    return {
      launch { entry = "choose<$routed>", grid = { cdiv(w.T, 128) }, block = { 128 },
               args = { "logits", "offsets", "chosen", "weight", i32(w.T), i32(w.E), i32(w.K), i32(of_token) } },
      launch { entry = "order", grid = { cdiv(experts + 1, 128) }, block = { 128 },
               args = { "chosen", "pairs", "begin", i32(rows), i32(experts) } },
      launch { entry = "inner_products", grid = { cdiv(rows * w.I, 128) }, block = { 128 },
               args = { "x", "gate_up", "pairs", "begin", "inner", i32(w.H), i32(w.I), i32(of_token), i32(experts), i32(rows) } },
      launch { entry = "outer_products", grid = { cdiv(rows * w.H, 128) }, block = { 128 },
               args = { "inner", "down", "pairs", "begin", "outer", i32(w.H), i32(w.I), i32(experts), i32(rows) } },
      launch { entry = "add_up", grid = { cdiv(w.T * w.H, 128) }, block = { 128 },
               args = { "outer", "weight", "y", i32(w.T), i32(w.H), i32(w.K), i32(of_token) } },
    }
  end,
}
