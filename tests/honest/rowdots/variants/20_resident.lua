return variant {
  technique = "resident", risk = "low",
  steps = function(p, w, device)
    return { launch { entry = "rowdots", grid = { 6 }, block = { 32 }, args = { "x", "g", "y", i32(w.B), i32(w.K) } } }
  end,
}
