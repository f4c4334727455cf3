return variant {
  technique = "@NAME@",
  risk = "low",
  estimate = { speedup = { 1, 2 }, probability = 0.8, evaluations = 4 },
  params = { BLOCK = { values = { 64, 128, 256, 512 }, bind = "launch" } },
  steps = function(p, w)
    return { launch { entry = "@NAME@<$dtype>", grid = { cdiv(w.n, p.BLOCK) }, block = { p.BLOCK }, args = { "x", "y", i32(w.n) } } }
  end,
}
