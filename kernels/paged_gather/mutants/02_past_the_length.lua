return variant {
  technique = "mutant", risk = "high",
  estimate  = { speedup = { 1, 1 }, probability = 0.01, evaluations = 1 },
  params    = { BLOCK = { values = { 128 }, bind = "launch" } },
  steps = function(p, w, device)
    return { launch { entry = "gather<$dtype>", grid = { cdiv(w.N, p.BLOCK), w.max_pages * w.block, w.B }, block = { p.BLOCK }, shared = 0,
                      args = { "pool", "lengths", "block_table", "out", i32(w.max_pages), i32(w.block), i32(w.N) } } }
  end,
}
