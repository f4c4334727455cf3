return variant {
  technique = "serial", risk = "low",
  params    = { BLOCK = { values = { 64, 32 }, bind = "launch" } },
  steps = function(p, w, device)
    return { launch { entry = "expsum<$dtype>", grid = { cdiv(w.M, p.BLOCK) }, block = { p.BLOCK },
                      args = { "x", "s", i32(w.M), i32(w.N) } } }
  end,
}
