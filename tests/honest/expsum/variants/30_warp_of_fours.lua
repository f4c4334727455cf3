-- Rows of 999 elements are none of its business: it has no arm there, and the others go on.
return variant {
  technique = "warp", risk = "low",
  valid = function(p, w, device) return divisible(w.N, 4) end,
  steps = function(p, w, device)
    return { launch { entry = "expsum<$dtype>", grid = { w.M }, block = { 32 }, args = { "x", "s", i32(w.N) } } }
  end,
}
