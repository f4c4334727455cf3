local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }

return variant {
  technique = "spread-copies", risk = "low",
  estimate  = { speedup = { 4, 20 }, probability = 0.9, evaluations = 15 },
  params = {
    VEC    = { values = { 1, 2, 4, 8 }, bind = "template" },
    BLOCK  = { values = { 64, 128, 256, 512 }, bind = "template" },
    COPIES = { values = { 1, 2, 3, 4, 8 }, bind = "template" },  -- vectors of a thread
  },
  start = { { VEC = 8, BLOCK = 128, COPIES = 2 }, { VEC = 4, BLOCK = 128, COPIES = 2 }, { VEC = 1, BLOCK = 256, COPIES = 4 } },
  -- A row starts at a multiple of N elements. One load is 16 bytes at most.
  valid = function(p, w, device)
    return all_of(p.VEC * bytes_of[w.dtype] <= 16, divisible(w.N, p.VEC))
  end,
  steps = function(p, w, device)
    return { launch { entry = "gather_spread<$dtype,$VEC,$BLOCK,$COPIES,$block,$N>",
                      grid = { cdiv(w.max_pages * w.block * w.N, p.VEC * p.BLOCK * p.COPIES), w.B }, block = { p.BLOCK }, shared = 0,
                      args = { "pool", "lengths", "block_table", "out", i32(w.max_pages) } } }
  end,
}
