-- y = a * x. The smallest complete kernel: read it first, then kernels/README.md.
local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }

return kernel {
  contract = 1,
  name     = "vector_scale",
  summary  = "y = a * x over one vector: the tutorial",
  domain   = { N = range(1, 67108864), dtype = one_of { "f32", "f16", "bf16" } },
  workloads = {
    { name = "n1m_f32",    N = 1048576,  dtype = "f32", weight = 0.5, sets = { "default" } },
    { name = "n1m_f16",    N = 1048576,  dtype = "f16", weight = 0.5, sets = { "default" } },
    { name = "odd_n1003_f32",  N = 1003, dtype = "f32",  sets = { "small" } },
    { name = "odd_n1003_f16",  N = 1003, dtype = "f16",  sets = { "small" } },
    { name = "odd_n1003_bf16", N = 1003, dtype = "bf16", sets = { "small" } },
    { name = "n64m_f32",   N = 67108864, dtype = "f32", sets = { "large" }, devices = { "cuda" } },
  },
  arguments = {
    input  { "x", dtype = "$dtype", shape = { "N" }, gen = normal {} },
    output { "y", dtype = "$dtype", shape = { "N" }, compare = relative {} },
    scalar { "a", dtype = "f32", value = 1.5 },
  },
  reference = { source = "reference.cu", entry = "reference<$dtype>", sizes = { "N" },
                threads = function(w) return w.N end },
  work = function(w)
    return { bytes = 2 * w.N * bytes_of[w.dtype], flops = { f32 = w.N }, exps = 0 }
  end,
}
