return variant {
  technique = "original", risk = "low",
  estimate = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },
  steps = function(p, w, device)                                              -- transpose.cu:40: transpose<<<dimGrid, dimBlock>>>
    return { launch { entry = "transpose",
                      grid = { cdiv(w.width, 32), cdiv(w.height, 32), 1 }, block = { 32, 8, 1 }, shared = 0,
                      args = { "odata", "idata", i32(w.width), i32(w.height) } } }
  end,
}
