return variant {
  technique = "tree", risk = "low",
  steps = function(p, w, device)
    return { launch { entry = "dot", grid = { 1 }, block = { 256 }, args = { "x", "y", "out", i32(w.N) } } }
  end,
}
