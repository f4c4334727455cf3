return variant {
  technique = "original", risk = "low",
  estimate = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },
  steps = function(p, w, device)                                              -- dot_product.cu:38: dot<<<blocks, threads>>>
    return { launch { entry = "dot<256>",
                      grid = { 64 }, block = { 256 }, shared = 1024,
                      args = { "a", "b", "result", i32(w.n) } } }
  end,
}
