-- y[r, :] = softmax of x[r, :]. Its values are about 1/N: the victim of what absolute tolerances let through.
return kernel {
  contract = 1,
  name     = "rowsoftmax",
  summary  = "softmax of each row, with variants that cheat",
  domain   = { M = range(1, 65536), N = range(1, 8192), dtype = one_of { "f32", "f16" },
               where = function(w) return le(w.M * w.N, 67108864) end },
  workloads = {
    { name = "m64n8192_f32",   M = 64,   N = 8192, dtype = "f32", sets = { "default" }, devices = { "cpu" } },
    { name = "m4096n2048_f32", M = 4096, N = 2048, dtype = "f32", sets = { "default" }, devices = { "cuda" } },
    { name = "m33n257_f32",    M = 33,   N = 257,  dtype = "f32", sets = { "small" } },
    { name = "m33n257_f16",    M = 33,   N = 257,  dtype = "f16", sets = { "small" } },
  },
  arguments = {
    input  { "x", dtype = "$dtype", shape = { "M", "N" }, gen = normal {} },
    output { "y", dtype = "$dtype", shape = { "M", "N" }, compare = relative {} },
  },
  reference = { source = "reference.cu", entry = "reference<$dtype>", sizes = { "M", "N" }, threads = function(w) return w.M end },
  work = function(w)
    return { bytes = 2 * w.M * w.N * (w.dtype == "f32" and 4 or 2), flops = { f32 = 2 * w.M * w.N }, exps = w.M * w.N }
  end,
}
