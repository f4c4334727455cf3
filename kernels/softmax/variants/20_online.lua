local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }

return variant {
  technique = "online-softmax", risk = "low",
  estimate  = { speedup = { 6, 60 }, probability = 0.9, evaluations = 20 },
  params = {
    THREADS = { values = { 32, 64, 128, 256, 512 }, bind = "template" },
    VEC     = { values = { 1, 2, 4, 8 }, bind = "template" },
  },
  -- A row starts at a multiple of N elements: its vectors are aligned only if VEC divides N. One load is 16 bytes at most.
  valid = function(p, w, device)
    return all_of(p.VEC * bytes_of[w.dtype] <= 16, divisible(w.N, p.VEC))
  end,
  steps = function(p, w, device)
    return { launch { entry = "softmax<$dtype,$THREADS,$VEC>", grid = { w.M }, block = { p.THREADS }, shared = 0,
                      args = { "x", "y", i32(w.N) } } }
  end,
}
