-- y[b] = sum over k of x[b, k] g[k], and the bits of y[b] follow from x[b, :] and g alone: honest ways to see to it.
return kernel {
  contract = 1,
  name     = "rowdots",
  summary  = "a product of each row with one vector, the same bits in every batch",
  domain   = { B = range(1, 16384), K = range(1, 4096), where = function(w) return le(w.B * w.K, 1048576) end },
  workloads = {
    { name = "b24k1000", B = 24, K = 1000, sets = { "default" }, devices = { "cpu" } },
    { name = "b1024k1024", B = 1024, K = 1024, sets = { "default" }, devices = { "cuda" } },
    { name = "b5k77", B = 5, K = 77, sets = { "small" } },
  },
  arguments = {
    input  { "x", dtype = "f32", shape = { "B", "K" }, gen = normal {} },
    input  { "g", dtype = "f32", shape = { "K" }, gen = normal {} },
    output { "y", dtype = "f32", shape = { "B" }, compare = relative {},
             accuracy = { sum = "K", accumulate = "f32", order = "any" } },
  },
  properties = { "deterministic", { "batch_invariant", over = "B" } },
  reference = { source = "reference.cu", entry = "reference", sizes = { "B", "K" }, threads = "B" },
  work = function(w) return { bytes = 4 * (w.B * w.K + w.K + w.B), flops = { f32 = 2 * w.B * w.K } } end,
}
