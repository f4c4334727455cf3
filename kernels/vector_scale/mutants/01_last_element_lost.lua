return variant {
  technique = "mutant", risk = "high",
  estimate  = { speedup = { 1, 1 }, probability = 0.01, evaluations = 1 },
  params    = { BLOCK = { values = { 128 }, bind = "launch" } },
  steps = function(p, w, device)
    return { launch { entry = "scale<$dtype>", grid = { cdiv(w.N, p.BLOCK) }, block = { p.BLOCK }, shared = 0,
                      args = { "x", "y", "a", i32(w.N) } } }
  end,
}
