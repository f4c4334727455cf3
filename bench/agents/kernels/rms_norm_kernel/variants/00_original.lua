return variant {
  technique = "original", risk = "low",
  estimate = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },
  steps = function(p, w, device)                                              -- rmsnorm_torch.cu:42: rms_norm_kernel<<<grid, block>>>
    return { launch { entry = "vision::rms_norm_kernel<$dtype,128>",
                      grid = { w.num_tokens }, block = { 128 }, shared = 0,
                      args = { "out", "input", "weight", "epsilon", i32(w.num_tokens), i32(w.hidden_size) } } }
  end,
}
