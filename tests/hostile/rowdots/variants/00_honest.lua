return variant {
  technique = "tree", risk = "low",
  steps = function(p, w, device)
    return { launch { entry = "rowdots", grid = { w.B }, block = { 128 }, args = { "x", "g", "y", i32(w.B), i32(w.K) } } }
  end,
}
