return variant {
  technique = "original", risk = "low",
  estimate = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },
  steps = function(p, w, device)                                              -- swiglu_torch.cu:29: silu_and_mul_kernel<<<grid, block>>>
    return { launch { entry = "silu_and_mul_kernel<$dtype>",
                      grid = { w.num_tokens }, block = { min(w.d, 1024) }, shared = 0,
                      args = { "out", "input", i32(w.d) } } }
  end,
}
