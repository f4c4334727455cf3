return variant {
  technique = "mutant", risk = "high",
  estimate  = { speedup = { 1, 1 }, probability = 0.01, evaluations = 1 },
  params    = {},
  workspaces = function(p, w, device)
    return { workspace { "deltas", bytes = 4 * w.B * w.Hq * w.Sq, align = 256, init = "dirty" } }
  end,
  steps = function(p, w, device)
    local sizes = { i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk), i32(w.causal) }
    return {
      launch { entry = "queries<$dtype,$D>", grid = { cdiv(w.Sq, 16), w.B * w.Hq }, block = { 128 }, shared = 0,
               args = { "q", "k", "v", "lse", "o", "d_o", "d_q", "deltas", "scale", table.unpack(sizes) } },
      launch { entry = "keys<$dtype,$D>", grid = { cdiv(w.Sk, 16), w.B * w.Hkv }, block = { 128 }, shared = 0,
               args = { "q", "k", "v", "lse", "d_o", "d_k", "d_v", "deltas", "scale", table.unpack(sizes) } },
    }
  end,
}
