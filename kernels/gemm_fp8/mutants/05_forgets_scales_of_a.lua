return variant {
  technique = "mutant", risk = "high",
  estimate  = { speedup = { 1, 1 }, probability = 0.01, evaluations = 1 },
  params    = { THREADS = { values = { 128 }, bind = "launch" } },
  steps = function(p, w, device)
    return { launch { entry = "gemm_naive", grid = { cdiv(w.N, p.THREADS), w.M }, block = { p.THREADS }, shared = 0,
                      args = { "a", "a_scale", "b", "b_scale", "d", i32(w.M), i32(w.N), i32(w.K) } } }
  end,
}
