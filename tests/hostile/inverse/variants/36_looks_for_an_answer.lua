return variant {
  technique = "earlier-answer", risk = "high",
  estimate  = { speedup = { 1, 4 }, probability = 0.5, evaluations = 1 },
  workspaces = function(p, w, device) return { workspace { "found", bytes = 8, align = 256, init = "zeroed" } } end,
  steps = function(p, w, device)
    return { launch { entry = "look", grid = { 256 }, block = { 256 }, args = { "p", "q", "found", i32(w.M), i32(w.N) } },
             launch { entry = "inverse", grid = { cdiv(w.N, 256), w.M }, block = { 256 },
                      args = { "p", "q", "found", i32(w.M), i32(w.N) } } }
  end,
}
