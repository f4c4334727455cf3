return variant {
  technique = "naive", risk = "low",
  estimate  = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },
  params    = { BLOCK = { values = { 32, 64, 128 }, bind = "launch" } },
  steps = function(p, w, device)
    return { launch { entry = "attention_naive<$dtype,$D>", grid = { cdiv(w.Tq, p.BLOCK), w.Hq }, block = { p.BLOCK }, shared = 0,
                      args = { "q", "k", "v", "cu_q", "cu_k", "sinks", "o", "scale", "cap", i32(w.B), i32(w.Tq), i32(w.Hq),
                               i32(w.Hkv), i32(w.window), i32(w.causal) } } }
  end,
}
