local WARPS, SPLITS = 8, 2  -- as in defects.cuh

return variant {
  technique = "mutant", risk = "high",
  estimate  = { speedup = { 1, 1 }, probability = 0.01, evaluations = 1 },
  params    = {},
  workspaces = function(p, w, device)
    local partials = w.B * w.Hq * w.Sq * SPLITS
    return {
      workspace { "o_partial",   bytes = 4 * partials * w.D, align = 256, init = "dirty" },
      workspace { "max_partial", bytes = 4 * partials,       align = 256, init = "dirty" },
      workspace { "sum_partial", bytes = 4 * partials,       align = 256, init = "dirty" },
    }
  end,
  steps = function(p, w, device)
    local rows = w.B * w.Hq * w.Sq
    return {
      launch { entry = "attention_partial<$dtype,$D>", grid = { SPLITS, w.Hq, w.B }, block = { 32 * WARPS }, shared = 0,
               args = { "q", "k", "v", "o_partial", "max_partial", "sum_partial", "scale", i32(w.Hq), i32(w.Hkv), i32(w.Sq),
                        i32(w.Sk), i32(w.causal) } },
      launch { entry = "attention_combine<$dtype,$D>", grid = { cdiv(rows, 4) }, block = { 128 }, shared = 0,
               args = { "o_partial", "max_partial", "sum_partial", "o", "lse", i32(rows), i32(w.Sq) } },
    }
  end,
}
