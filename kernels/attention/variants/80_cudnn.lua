-- The rival: cuDNN's attention through its backend API. Its heuristics offer one to five engine configurations for a
-- shape, and the first is not always the fastest (at B1 H1 S128 D64 on an H200 5.4 us against 4.7 us), so each is a
-- configuration here; a number that they do not offer is `unsupported`, as is causal attention with more queries than
-- keys: a row that sees no key has no defined result in cuDNN.
return variant {
  technique = "cudnn", risk = "low", rival = true,
  estimate  = { speedup = { 4, 200 }, probability = 0.95, evaluations = 5 },
  params    = { ENGINE = { values = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, bind = "launch" } },
  requires  = { device = "cuda", arch = ">=80" },
  steps     = function(p, w, device)
    return { library { "cudnn", "attention", q = "q", k = "k", v = "v", o = "o", lse = "lse", causal = w.causal,
                       scale = "scale", engine = p.ENGINE } }
  end,
}
