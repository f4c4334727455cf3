local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }

return variant {
  technique = "vector-loads", risk = "low",
  estimate  = { speedup = { 1, 2 }, probability = 0.8, evaluations = 10 },
  params = {
    BLOCK = { values = { 128, 256, 512 }, bind = "launch" },
    VEC   = { values = { 2, 4, 8 }, bind = "template" },
  },
  -- One load moves 16 bytes at most: 4 floats or 8 halves.
  valid = function(p, w, device) return p.VEC * bytes_of[w.dtype] <= 16 end,
  steps = function(p, w, device)
    return { launch { entry = "scale<$dtype,$VEC>", grid = { cdiv(w.N, p.BLOCK * p.VEC) }, block = { p.BLOCK }, shared = 0,
                      args = { "x", "y", "a", i32(w.N) } } }
  end,
}
