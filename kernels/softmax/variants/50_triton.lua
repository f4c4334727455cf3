return variant {
  technique = "triton", build = "triton", risk = "low",
  estimate  = { speedup = { 5, 40 }, probability = 0.9, evaluations = 8 },
  params = {
    BLOCK = { values = { 16, 64, 256, 512, 1024, 2048, 4096, 8192, 16384 }, bind = "template" },  -- holds a row
    WARPS = { values = { 1, 2, 4, 8, 16 }, bind = "template" },
  },
  valid = function(p, w, device) return all_of(le(w.N, p.BLOCK), le(p.BLOCK, max(16, 4 * w.N))) end,
  steps = function(p, w, device)
    return { launch { entry = "softmax_rows<BLOCK=$BLOCK,num_warps=$WARPS>", grid = { w.M },
                      args = { "x", "y", i32(w.N) } } }
  end,
}
