local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }

return variant {
  technique = "row-in-registers", risk = "low",
  estimate  = { speedup = { 8, 80 }, probability = 0.9, evaluations = 30 },
  params = {
    THREADS = { values = { 32, 64, 128, 256, 512, 1024 }, bind = "template" },  -- of a row
    ROWS    = { values = { 1, 2, 4, 8 }, bind = "template" },                   -- of a block
    VEC     = { values = { 1, 2, 4, 8 }, bind = "template" },
    ITEMS   = { values = { 1, 2, 4, 8, 16, 32 }, bind = "template" },           -- vectors of a thread
  },
  valid = function(p, w, device)
    return all_of(
      p.THREADS * p.ROWS <= 1024, p.THREADS * p.ROWS >= 64, le(p.ROWS, max(1, w.M)),
      p.VEC * bytes_of[w.dtype] <= 16, divisible(w.N, p.VEC),
      p.VEC * p.ITEMS <= 64,                             -- registers of a thread
      le(w.N, p.THREADS * p.VEC * p.ITEMS),              -- the row fits...
      any_of(p.ITEMS == 1, lt(p.THREADS * p.VEC * p.ITEMS, 2 * w.N)))  -- ...and half as many would not do
  end,
  steps = function(p, w, device)
    return { launch { entry = "softmax<$dtype,$THREADS,$ROWS,$VEC,$ITEMS>", grid = { cdiv(w.M, p.ROWS) },
                      block = { p.THREADS * p.ROWS }, shared = 0, args = { "x", "y", i32(w.M), i32(w.N) } } }
  end,
}
