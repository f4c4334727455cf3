return variant {
  technique = "naive", risk = "low",
  estimate  = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },
  params    = {},
  steps = function(p, w, device)
    return { launch { entry = "gemm_naive<$dtype,$out,$bias,$gelu,$silu,$other,$residual>",
                      grid = { cdiv(w.M, 16) * cdiv(w.N, 16) }, block = { 256 },
                      args = { "a", "b", "bias", "other", "residual", "d", i32(w.M), i32(w.N), i32(w.K), i64(w.lda),
                               i64(w.ldb), i64(w.ldd), i32(w.linear) } } }
  end,
}
