return variant {
  technique = "warp", risk = "low",
  steps = function(p, w, device)
    return { launch { entry = "rowfirst", grid = { w.M }, block = { 32 },
                      args = { "x", "largest", "at", "sum", i32(w.M), i32(w.N) } } }
  end,
}
