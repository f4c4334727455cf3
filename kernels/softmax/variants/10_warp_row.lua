return variant {
  technique = "warp-per-row", risk = "low",
  estimate  = { speedup = { 4, 30 }, probability = 0.95, evaluations = 6 },
  params    = { BLOCK = { values = { 32, 64, 128, 256, 512 }, bind = "launch" } },
  steps = function(p, w, device)
    return { launch { entry = "softmax<$dtype>", grid = { cdiv(w.M, p.BLOCK // 32) }, block = { p.BLOCK }, shared = 0,
                      args = { "x", "y", i32(w.M), i32(w.N) } } }
  end,
}
