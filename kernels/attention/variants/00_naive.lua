return variant {
  technique = "naive", risk = "low",
  estimate  = { speedup = { 1, 1 }, probability = 1.0, evaluations = 4 },
  params    = { BLOCK = { values = { 32, 64, 128 }, bind = "launch" } },
  steps = function(p, w, device)
    return { launch { entry = "attention_naive<$dtype,$D>", grid = { cdiv(w.Sq, p.BLOCK), w.Hq, w.B }, block = { p.BLOCK },
                      shared = 0,
                      args = { "q", "k", "v", "o", "lse", "scale", i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk),
                               i32(w.causal) } } }
  end,
}
