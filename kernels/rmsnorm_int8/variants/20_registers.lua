local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }

return variant {
  technique = "row-in-registers", risk = "low",
  estimate  = { speedup = { 8, 100 }, probability = 0.9, evaluations = 15 },
  params = {
    THREADS = { values = { 32, 64, 128, 256, 512, 1024 }, bind = "template" },  -- of a row
    ROWS    = { values = { 1, 2, 4 }, bind = "template" },                      -- of a block
    VEC     = { values = { 1, 2, 4, 8 }, bind = "template" },                   -- columns of a load
  },
  start = { { THREADS = 512, ROWS = 1, VEC = 8 }, { THREADS = 512, ROWS = 1, VEC = 4 }, { THREADS = 128, ROWS = 1, VEC = 4 },
            { THREADS = 512, ROWS = 1, VEC = 1 } },
  -- Vectors stay aligned in every row only if VEC divides both distances between rows. What a thread keeps of a row fits
  -- its registers, and no thread has nothing to do.
  valid = function(p, w, device)
    return p.THREADS * p.ROWS <= 1024 and p.VEC * bytes_of[w.dtype] <= 16
      and all_of(divisible(w.ldx, p.VEC), le(w.N, 64 * p.THREADS), le(p.VEC * (p.THREADS - 32), w.N))
  end,
  steps = function(p, w, device)
    return { launch { entry = "rmsnorm_registers<$dtype,$THREADS,$ROWS,$VEC,$N>", grid = { cdiv(w.T, p.ROWS) },
                      block = { p.THREADS * p.ROWS }, shared = 0,
                      args = { "x", "residual", "q", "scale", "eps", i32(w.T), i32(w.ldx) } } }
  end,
}
