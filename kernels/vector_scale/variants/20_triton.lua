return variant {
  technique = "triton", build = "triton", risk = "low",
  estimate  = { speedup = { 1, 2 }, probability = 0.9, evaluations = 5 },
  params = {
    BLOCK = { values = { 512, 1024, 2048, 4096 }, bind = "template" },
    WARPS = { values = { 4, 8 }, bind = "template" },
  },
  steps = function(p, w, device)
    return { launch { entry = "scale<BLOCK=$BLOCK,num_warps=$WARPS>", grid = { cdiv(w.N, p.BLOCK) },
                      args = { "x", "y", "a", i32(w.N) } } }
  end,
}
