return variant {
  technique = "mutant", risk = "high",
  estimate  = { speedup = { 1, 1 }, probability = 0.01, evaluations = 1 },
  params    = {},
  steps = function(p, w, device)
    return { launch { entry = "gemm_defect<$dtype,$out>", grid = { cdiv(w.M, 16) * cdiv(w.N, 16) }, block = { 256 },
                      args = { "a", "b", "bias", "other", "residual", "d", i32(w.M), i32(w.N), i32(w.K), i64(w.lda),
                               i64(w.ldb), i64(w.ldd), i32(w.linear), i32(w.gelu), i32(w.silu) } } }
  end,
}
