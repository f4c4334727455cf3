return variant {
  technique = "naive", risk = "low",
  estimate  = { speedup = { 1, 1 }, probability = 1.0, evaluations = 4 },
  params    = { BLOCK = { values = { 32, 64, 128 }, bind = "launch" } },
  steps = function(p, w, device)
    return { launch { entry = "rmsnorm<$dtype>", grid = { cdiv(w.T, p.BLOCK) }, block = { p.BLOCK }, shared = 0,
                      args = { "x", "residual", "q", "scale", "eps", i32(w.T), i32(w.N), i32(w.ldx) } } }
  end,
}
