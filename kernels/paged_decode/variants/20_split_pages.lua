return variant {
  technique = "split-kv", risk = "medium", multi_kernel = true,
  estimate  = function(w)
    local few = w.B * w.Hq < 512   -- more blocks help where there are few
    return { speedup = few and { 10, 80 } or { 2, 15 }, probability = 0.8, evaluations = 16 }
  end,
  params = {
    SPLITS = { values = { 1, 2, 4, 8, 16, 32 }, bind = "launch" },  -- ranges of pages, a block each
    VEC    = { values = { 4, 8 }, bind = "template" },              -- elements of a load
    WARPS  = { values = { 1, 2, 4, 8 }, bind = "template" },        -- that share a range
  },
  valid = function(p, w, device)
    -- a split without a page of its own only adds work to the second launch (but 1 and 2 must work on any length)
    return all_of(le(p.SPLITS, max(2, w.max_pages)))
  end,
  workspaces = function(p, w, device)
    local partials = w.B * w.Hq * p.SPLITS
    return {
      workspace { "o_partial",   bytes = 4 * partials * w.D, align = 256, init = "dirty" },
      workspace { "max_partial", bytes = 4 * partials,       align = 256, init = "dirty" },
      workspace { "sum_partial", bytes = 4 * partials,       align = 256, init = "dirty" },
    }
  end,
  steps = function(p, w, device)
    return {
      launch { entry = "decode_part<$dtype,$D,$VEC,$WARPS>", grid = { p.SPLITS, w.Hq, w.B }, block = { 32 * p.WARPS }, shared = 0,
               args = { "q", "k_pages", "v_pages", "lengths", "page_table", "o_partial", "max_partial", "sum_partial", "scale",
                        i32(w.Hq), i32(w.Hkv), i32(w.block), i32(w.max_pages), i32(p.SPLITS) } },
      launch { entry = "combine<$dtype,$D>", grid = { w.B * w.Hq }, block = { w.D }, shared = 0,
               args = { "o_partial", "max_partial", "sum_partial", "o", i32(p.SPLITS) } },
    }
  end,
}
