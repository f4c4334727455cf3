return variant {
  technique = "mutant", risk = "high",
  estimate  = { speedup = { 1, 1 }, probability = 0.01, evaluations = 1 },
  params    = { BLOCK = { values = { 128 }, bind = "launch" } },
  steps = function(p, w, device)
    return { launch { entry = "rmsnorm<$dtype>", grid = { cdiv(w.T, p.BLOCK) }, block = { p.BLOCK }, shared = 0,
                      args = { "x", "residual", "q", "scale", "eps", i32(w.T), i32(w.N), i32(w.ldx) } } }
  end,
}
