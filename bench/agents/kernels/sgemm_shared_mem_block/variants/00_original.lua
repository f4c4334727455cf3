return variant {
  technique = "original", risk = "low",
  estimate = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },
  steps = function(p, w, device)                                              -- gemm.cu:41: sgemm_shared_mem_block<<<gridDim, blockDim>>>
    return { launch { entry = "sgemm_shared_mem_block<16>",
                      grid = { cdiv(w.M, 16), cdiv(w.N, 16) }, block = { 256 }, shared = 0,
                      args = { i32(w.M), i32(w.N), i32(w.K), "alpha", "A", "B", "beta", "C" } } }
  end,
}
