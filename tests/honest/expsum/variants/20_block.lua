return variant {
  technique = "block", risk = "low",
  params    = { BLOCK = { values = { 128, 64 }, bind = "launch" } },
  steps = function(p, w, device)
    return { launch { entry = "expsum<$dtype>", grid = { w.M }, block = { p.BLOCK }, args = { "x", "s", i32(w.N) } } }
  end,
}
