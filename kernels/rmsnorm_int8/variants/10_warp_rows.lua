local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }

return variant {
  technique = "warp-per-row", risk = "low",
  estimate  = { speedup = { 4, 40 }, probability = 0.9, evaluations = 20 },
  params = {
    BLOCK = { values = { 32, 64, 128, 256, 512 }, bind = "launch" },
    VEC   = { values = { 1, 2, 4, 8 }, bind = "template" },
  },
  -- Vectors stay aligned in every row only if VEC divides both distances between rows. One load is 16 bytes at most.
  valid = function(p, w, device)
    return all_of(p.VEC * bytes_of[w.dtype] <= 16, divisible(w.N, p.VEC), divisible(w.ldx, p.VEC))
  end,
  steps = function(p, w, device)
    return { launch { entry = "rmsnorm<$dtype,$VEC>", grid = { cdiv(w.T, p.BLOCK // 32) }, block = { p.BLOCK }, shared = 0,
                      args = { "x", "residual", "q", "scale", "eps", i32(w.T), i32(w.N), i32(w.ldx) } } }
  end,
}
