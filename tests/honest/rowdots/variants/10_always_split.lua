return variant {
  technique = "split", risk = "low",
  workspaces = function(p, w, device) return { workspace { "parts", bytes = 16 * w.B } } end,
  steps = function(p, w, device)
    return { launch { entry = "parts_of", grid = { 4, w.B }, block = { 32 }, args = { "x", "g", "parts", i32(w.K) } },
             launch { entry = "sum_up", grid = { cdiv(w.B, 64) }, block = { 64 }, args = { "parts", "y", i32(w.B) } } }
  end,
}
