-- out = sum of x[i] y[i]: one element, which may come out near zero by chance. An honest error is relative to the terms.
return kernel {
  contract = 1,
  name     = "dot",
  summary  = "one inner product, added in several honest ways",
  domain   = { N = range(1, 1048576) },
  workloads = { { name = "n65536", N = 65536, sets = { "default" } } },
  arguments = {
    input  { "x",   dtype = "f32", shape = { "N" }, gen = normal {} },
    input  { "y",   dtype = "f32", shape = { "N" }, gen = normal {} },
    output { "out", dtype = "f32", shape = { 1 }, compare = relative {},
             accuracy = { sum = "N", accumulate = "f32", order = "any" } },
  },
  reference = { source = "reference.cu", entry = "reference", sizes = { "N" }, threads = function(w) return 1 end },
  work = function(w) return { bytes = 8 * w.N + 4, flops = { f32 = 2 * w.N } } end,
}
