return variant {
  technique = "original", risk = "low",
  estimate = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },
  steps = function(p, w, device)                                              -- histogram.cu:35: histogram256<<<blocks, 256>>>
    return { launch { entry = "histogram256",
                      grid = { cdiv(w.count, 4096) }, block = { 256 }, shared = 0,
                      args = { "bins", "data", i64(w.count) } } }
  end,
}
