return variant {
  technique = "mutant", risk = "high",
  estimate  = { speedup = { 1, 1 }, probability = 0.01, evaluations = 1 },
  params    = {},
  steps = function(p, w, device)
    return { launch { entry = "attention<$dtype,$D>", grid = { cdiv(w.Tq, 64), w.Hq }, block = { 64 }, shared = 0,
                      args = { "q", "k", "v", "cu_q", "cu_k", "sinks", "o", "scale", "cap", i32(w.B), i32(w.Tq), i32(w.Tk),
                               i32(w.Hq), i32(w.Hkv), i32(w.window), i32(w.causal) } } }
  end,
}
