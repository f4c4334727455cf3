return variant {
  technique = "two-passes", risk = "low",
  steps = function(p, w, device)
    return { launch { entry = "norm", grid = { cdiv(w.M, 32) }, block = { 32 }, args = { "x", "y", "eps", i32(w.M), i32(w.N) } } }
  end,
}
