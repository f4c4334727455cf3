return variant {
  technique = "honest", risk = "low",
  estimate  = { speedup = { 1, 1 }, probability = 1, evaluations = 1 },
  params    = { BLOCK = { values = { 128 }, bind = "launch" } },
  constants = { { "filters::weights", from = "weights" }, { "gain", from = "gain" } },
  steps = function(p, w, device)
    return { launch { entry = "weighted", grid = { cdiv(w.N, p.BLOCK) }, block = { p.BLOCK }, shared = 0,
                      args = { "x", "y", i32(w.N) } } }
  end,
}
