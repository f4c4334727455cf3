return variant {
  technique = "naive", risk = "low",
  estimate  = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },
  params    = { BLOCK = { values = { 128, 256 }, bind = "launch" } },
  steps = function(p, w, device)
    return { launch { entry = "gemm_naive<$dtype,$out>", grid = { cdiv(w.N, p.BLOCK), min(w.M, 65535) }, block = { p.BLOCK },
                      args = { "a", "b", "bias", "other", "residual", "d", i32(w.M), i32(w.N), i32(w.K), i64(w.lda),
                               i64(w.ldb), i64(w.ldd), i32(w.linear), i32(w.gelu), i32(w.silu) } } }
  end,
}
