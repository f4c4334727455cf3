local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }

return variant {
  technique = "vector-loads", risk = "low",
  estimate  = { speedup = { 2, 10 }, probability = 0.9, evaluations = 15 },
  params = {
    BLOCK = { values = { 64, 128, 256, 512 }, bind = "launch" },
    VEC   = { values = { 1, 2, 4, 8 }, bind = "template" },
  },
  -- A row starts at a multiple of N elements. One load is 16 bytes at most.
  valid = function(p, w, device)
    return all_of(p.VEC * bytes_of[w.dtype] <= 16, divisible(w.N, p.VEC))
  end,
  steps = function(p, w, device)
    return { launch { entry = "gather<$dtype,$VEC>", grid = { w.max_pages, w.B }, block = { p.BLOCK }, shared = 0,
                      args = { "pool", "lengths", "block_table", "out", i32(w.max_pages), i32(w.block), i32(w.N) } } }
  end,
}
