-- sum[r] = sum of x[r, :], largest[r] = max of x[r, :]. The victim of the attacks in variants/: small, cheap to judge, and
-- with much more to read than to write, so that leaving work out pays.
return kernel {
  contract = 1,
  name     = "rowstats",
  summary  = "sum and maximum of each row, with variants that cheat",
  domain   = { M = range(1, 65536), N = range(1, 16384), dtype = one_of { "f32", "f16" },
               where = function(w) return le(w.M * w.N, 67108864) end },
  workloads = {
    { name = "m256n8192_f32",  M = 256,  N = 8192, dtype = "f32", sets = { "default" }, devices = { "cpu" } },
    { name = "m4096n8192_f32", M = 4096, N = 8192, dtype = "f32", sets = { "default" }, devices = { "cuda" } },
    { name = "m8n64_f32",      M = 8,    N = 64,   dtype = "f32", sets = { "small" } },
    { name = "m33n257_f32",    M = 33,   N = 257,  dtype = "f32", sets = { "small" } },
    { name = "m33n257_f16",    M = 33,   N = 257,  dtype = "f16", sets = { "small" } },
  },
  arguments = {
    input  { "x",       dtype = "$dtype", shape = { "M", "N" }, gen = normal {} },
    output { "sum",     dtype = "f32",    shape = { "M" }, compare = relative {},
             accuracy = { sum = "N", accumulate = "f32", order = "any" } },
    output { "largest", dtype = "f32",    shape = { "M" }, compare = exact {} },
  },
  reference = { source = "reference.cu", entry = "reference<$dtype>", sizes = { "M", "N" }, threads = function(w) return w.M end },
  work = function(w)
    return { bytes = w.M * w.N * (w.dtype == "f32" and 4 or 2) + 8 * w.M, flops = { f32 = 2 * w.M * w.N } }
  end,
}
