-- y[r, :] = exp(x[r, :] - max) / sum(exp(x[r, :] - max)), row by row.
local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }

return kernel {
  contract = 1,
  name     = "softmax",
  summary  = "softmax over the rows of a matrix",
  domain   = {
    M = range(1, 65536), N = range(1, 131072), dtype = one_of { "f32", "f16", "bf16" },
    where = function(w) return le(w.M * w.N, 268435456) end,
  },
  workloads = {
    { name = "m64n512_f32",      M = 64,    N = 512,  dtype = "f32",  sets = { "default" }, devices = { "cpu" } },
    { name = "m64n512_bf16",     M = 64,    N = 512,  dtype = "bf16", sets = { "default" }, devices = { "cpu" } },
    { name = "m4096n1024_f32",   M = 4096,  N = 1024, dtype = "f32",  sets = { "default" }, devices = { "cuda" } },
    { name = "m4096n1024_f16",   M = 4096,  N = 1024, dtype = "f16",  sets = { "default" }, devices = { "cuda" } },
    { name = "m4096n1024_bf16",  M = 4096,  N = 1024, dtype = "bf16", sets = { "default" }, devices = { "cuda" } },
    -- Long rows: attention's scores, the logits of a vocabulary, few rows of many columns.
    { name = "m2048n16384_bf16", M = 2048,  N = 16384,  dtype = "bf16", sets = { "default", "long" }, devices = { "cuda" } },
    { name = "m64n32768_f16",    M = 64,    N = 32768,  dtype = "f16",  sets = { "default", "long" }, devices = { "cuda" } },
    { name = "m512n128256_bf16", M = 512,   N = 128256, dtype = "bf16", sets = { "default", "long" }, devices = { "cuda" } },
    { name = "m256n131072_f32",  M = 256,   N = 131072, dtype = "f32",  sets = { "default", "long" }, devices = { "cuda" } },
    { name = "m1024n50257_f16",  M = 1024,  N = 50257,  dtype = "f16",  sets = { "long" },            devices = { "cuda" } },
    { name = "m2n2056_bf16",     M = 2,     N = 2056,   dtype = "bf16", sets = { "small" } },
    { name = "m33n257_f32",      M = 33,    N = 257,  dtype = "f32",  sets = { "small" } },
    { name = "m33n257_f16",      M = 33,    N = 257,  dtype = "f16",  sets = { "small" } },
    { name = "m33n257_bf16",     M = 33,    N = 257,  dtype = "bf16", sets = { "small" } },
    { name = "m5n3_f32",         M = 5,     N = 3,    dtype = "f32",  sets = { "small" } },
    { name = "m3n1_f16",         M = 3,     N = 1,    dtype = "f16",  sets = { "small" } },
    { name = "m1n4096_bf16",     M = 1,     N = 4096, dtype = "bf16", sets = { "small" } },
    { name = "m32768n4096_bf16", M = 32768, N = 4096, dtype = "bf16", sets = { "large" },   devices = { "cuda" } },
  },
  arguments = {  -- aligned as CUDA's allocators do
    input  { "x", dtype = "$dtype", shape = { "M", "N" }, align = 256, gen = normal {} },
    output { "y", dtype = "$dtype", shape = { "M", "N" }, align = 256, compare = relative {} },
  },
  reference = { source = "reference.cu", entry = "reference<$dtype>", sizes = { "M", "N" },
                threads = function(w) return (w.N <= 1024 and 1 or 128) * w.M end },
  work = function(w)
    local elements = w.M * w.N
    return { bytes = 2 * elements * bytes_of[w.dtype], flops = { f32 = 2 * elements }, exps = elements }
  end,
}
