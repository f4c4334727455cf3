-- y[i] = gain * sum over k of weights[k] x[i + k], with weights and gain in constant memory. The victim of attacks that
-- keep something there.
return kernel {
  contract = 1,
  name     = "weighted",
  summary  = "a filter with its weights in constant memory, with variants that cheat",
  domain   = { N = range(1, 1048576) },
  workloads = {
    { name = "n65536", N = 65536, sets = { "default" } },
    { name = "n777",   N = 777,   sets = { "small" } },
  },
  arguments = {
    input  { "x",       dtype = "f32", shape = { function(w) return w.N + 8 end }, gen = normal {} },
    input  { "weights", dtype = "f32", shape = { 9 }, gen = normal {} },
    scalar { "gain",    dtype = "f32", value = 0.5 },
    output { "y",       dtype = "f32", shape = { "N" }, compare = relative {},
             accuracy = { sum = 9, accumulate = "f32", order = "any" } },
  },
  reference = { source = "reference.cu", entry = "reference", sizes = { "N" }, threads = "N",
                constants = { { "table", from = "weights" } } },
  work = function(w) return { bytes = 8 * w.N, flops = { f32 = 18 * w.N } } end,
}
