return variant {
  technique = "naive", risk = "low",
  estimate  = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },
  params    = { THREADS = { values = { 128, 64, 256 }, bind = "launch" } },
  steps = function(p, w, device)
    return { launch { entry = "gemm_naive", grid = { cdiv(w.N, p.THREADS), w.M }, block = { p.THREADS }, shared = 0,
                      args = { "a", "a_scale", "b", "b_scale", "d", i32(w.M), i32(w.N), i32(w.K) } } }
  end,
}
