return variant {
  technique = "vector-loads", risk = "low",
  estimate  = { speedup = { 2, 12 }, probability = 0.9, evaluations = 8 },
  params = {
    VEC   = { values = { 4, 8 }, bind = "template" },        -- elements of a load
    WARPS = { values = { 1, 2, 4, 8 }, bind = "template" },  -- that share a query head
  },
  steps = function(p, w, device)
    return { launch { entry = "decode<$dtype,$D,$VEC,$WARPS>", grid = { w.Hq, w.B }, block = { 32 * p.WARPS }, shared = 0,
                      args = { "q", "k_pages", "v_pages", "lengths", "page_table", "o", "scale", i32(w.Hq), i32(w.Hkv),
                               i32(w.block), i32(w.max_pages) } } }
  end,
}
