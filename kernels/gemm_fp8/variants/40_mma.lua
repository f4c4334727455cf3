return variant {
  technique = "mma-widened", risk = "medium",
  estimate  = { speedup = { 10, 60 }, probability = 0.9, evaluations = 2 },
  requires  = { arch = ">=80" },
  params    = {},
  steps = function(p, w, device)
    return { launch { entry = "gemm_mma", grid = { cdiv(w.N, 64), cdiv(w.M, 64) }, block = { 128 }, shared = 0,
                      args = { "a", "a_scale", "b", "b_scale", "d", i32(w.M), i32(w.N), i32(w.K) } } }
  end,
}
