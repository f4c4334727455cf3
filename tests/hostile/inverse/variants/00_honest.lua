return variant {
  technique = "scattered", risk = "low",
  steps = function(p, w, device)
    return { launch { entry = "inverse", grid = { cdiv(w.N, 256), w.M }, block = { 256 },
                      args = { "p", "q", i32(w.M), i32(w.N) } } }
  end,
}
