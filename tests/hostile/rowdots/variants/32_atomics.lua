return variant {
  technique = "atomics", risk = "low",
  workspaces = function(p, w, device) return { workspace { "sums", bytes = 4 * w.B, init = "zeroed" } } end,
  steps = function(p, w, device)
    return { launch { entry = "rowdots", grid = { 8, w.B }, block = { 64 }, args = { "x", "g", "sums", i32(w.K) } },
             launch { entry = "store", grid = { cdiv(w.B, 128) }, block = { 128 }, args = { "sums", "y", i32(w.B) } } }
  end,
}
