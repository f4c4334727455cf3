return variant {
  technique = "original", risk = "low",
  estimate = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },
  params = { block_size = { values = { 256, 32, 64, 128, 512 }, bind = "launch" } },
  steps = function(p, w, device)                                              -- layernorm.cu:70: layernorm_forward_kernel<<<grid_size, block_size>>>
    return { launch { entry = "layernorm_forward_kernel",
                      grid = { cdiv(w.N * 32, p.block_size) }, block = { p.block_size }, shared = 0,
                      args = { "out", "mean", "rstd", "inp", "weight", "bias", i32(w.N), i32(w.C) } } }
  end,
}
