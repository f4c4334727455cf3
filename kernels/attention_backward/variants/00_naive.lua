return variant {
  technique = "naive", risk = "low",
  estimate  = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },
  params    = { BLOCK = { values = { 128, 256, 512 }, bind = "launch" } },
  workspaces = function(p, w, device)
    return { workspace { "deltas", bytes = 4 * w.B * w.Hq * w.Sq, align = 256, init = "dirty" } }
  end,
  steps = function(p, w, device)
    local rows = p.BLOCK // 8  -- of a block
    local sizes = { i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk), i32(w.causal) }
    return {
      launch { entry = "backward_of_queries<$dtype,$D>", grid = { cdiv(w.Sq, rows), w.B * w.Hq }, block = { p.BLOCK }, shared = 0,
               args = { "q", "k", "v", "lse", "o", "d_o", "d_q", "deltas", "scale", table.unpack(sizes) } },
      launch { entry = "backward_of_keys<$dtype,$D>", grid = { cdiv(w.Sk, rows), w.B * w.Hkv }, block = { p.BLOCK }, shared = 0,
               args = { "q", "k", "v", "lse", "d_o", "d_k", "d_v", "deltas", "scale", table.unpack(sizes) } },
    }
  end,
}
