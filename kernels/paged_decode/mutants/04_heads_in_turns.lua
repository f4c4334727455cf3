return variant {
  technique = "mutant", risk = "high",
  estimate  = { speedup = { 1, 1 }, probability = 0.01, evaluations = 1 },
  params    = { WARPS = { values = { 2 }, bind = "launch" } },   -- heads of a block
  steps = function(p, w, device)
    return { launch { entry = "decode<$dtype,$D>", grid = { cdiv(w.Hq, p.WARPS), w.B }, block = { 32 * p.WARPS }, shared = 0,
                      args = { "q", "k_pages", "v_pages", "lengths", "page_table", "o", "scale", i32(w.Hq), i32(w.Hkv),
                               i32(w.block), i32(w.max_pages) } } }
  end,
}
