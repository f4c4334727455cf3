return variant {
  technique = "uninitialised-shared", risk = "high",
  estimate  = { speedup = { 1, 2 }, probability = 0.5, evaluations = 1 },
  params    = {},
  steps = function(p, w, device)
    return { launch { entry = "rowstats<$dtype>", grid = { w.M }, block = { 64 }, shared = 0,
                      args = { "x", "sum", "largest", i32(w.M), i32(w.N) } } }
  end,
}
