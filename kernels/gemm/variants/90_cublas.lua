-- The rival: cuBLASLt with each algorithm that its heuristics offer, and as much of the epilogue as it fuses: a bias, the
-- GELU, a residual that is added before no activation. What multiplies by another matrix, or applies SiLU, it has not.
return variant {
  technique = "cublas", risk = "low", rival = true,
  estimate  = { speedup = { 100, 2000 }, probability = 0.95, evaluations = 10 },
  params    = { ALGORITHM = { values = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, bind = "launch" } },
  requires  = { device = "cuda" },
  valid     = function(p, w, device)
    return not w.other and not w.silu and not (w.residual and w.gelu)
  end,
  steps     = function(p, w, device)
    return { library { "cublas", "gemm", a = "a", b = "b", c = "d", m = w.M, n = w.N, k = w.K, transpose_b = w.linear,
                       a_pitch = w.lda, b_pitch = w.ldb, c_pitch = w.ldd, bias = "bias", residual = "residual",
                       residual_pitch = w.ldd, activation = w.gelu and "gelu" or "none", algorithm = p.ALGORITHM } }
  end,
}
