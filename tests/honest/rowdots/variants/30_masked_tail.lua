return variant {
  technique = "tail", risk = "low",
  steps = function(p, w, device)
    return { launch { entry = "rowdots", grid = { cdiv(w.B, 16) }, block = { 16 }, args = { "x", "g", "y", i32(w.B), i32(w.K) } } }
  end,
}
