return variant {
  technique = "naive", risk = "low", multi_kernel = true,
  estimate  = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },
  params    = {},
  workspaces = function(p, w, device)
    local rows = w.T * (w.K + (w.shared and 1 or 0))
    return {
      workspace { "chosen", bytes = 4 * rows, align = 256 },
      workspace { "weight", bytes = 4 * rows, align = 256 },
      workspace { "inner", bytes = 2 * rows * w.I, align = 256 },
      workspace { "outer", bytes = 2 * rows * w.H, align = 256 },
    }
  end,
  steps = function(p, w, device)
    local of_token = w.K + (w.shared and 1 or 0)
    local rows = w.T * of_token
    return {
      launch { entry = "choose<$routed>", grid = { cdiv(w.T, 128) }, block = { 128 },
               args = { "logits", "offsets", "chosen", "weight", i32(w.T), i32(w.E), i32(w.K), i32(of_token) } },
      launch { entry = "inner_products", grid = { cdiv(w.I, 8) * rows }, block = { 256 },
               args = { "x", "gate_up", "chosen", "inner", i32(w.H), i32(w.I), i32(of_token) } },
      launch { entry = "outer_products", grid = { cdiv(w.H, 8) * rows }, block = { 256 },
               args = { "inner", "down", "chosen", "outer", i32(w.H), i32(w.I) } },
      launch { entry = "add_up", grid = { cdiv(w.H, 256) * w.T }, block = { 256 },
               args = { "outer", "weight", "y", i32(w.H), i32(of_token) } },
    }
  end,
}
