return variant {
  technique = "naive", risk = "low",
  estimate  = { speedup = { 1, 1 }, probability = 1.0, evaluations = 4 },
  params    = { BLOCK = { values = { 128, 256, 512 }, bind = "launch" } },
  steps = function(p, w, device)
    return { launch { entry = "scale<$dtype>", grid = { cdiv(w.N, p.BLOCK) }, block = { p.BLOCK }, shared = 0,
                      args = { "x", "y", "a", i32(w.N) } } }
  end,
}
