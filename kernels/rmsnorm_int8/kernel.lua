-- residual' = round(x + residual); y = residual' / rms(residual'); q = int8(y / scale), scale = max|y| / 127, row by row.
-- The rounding points are part of the contract: reference.cu states them.
local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }

return kernel {
  contract  = 1,
  name      = "rmsnorm_int8",
  summary   = "residual add, RMS norm and per-row int8 quantization",
  -- ldx: distance of two rows of x; the rows of the other tensors are dense.
  domain    = {
    T = range(1, 65536), N = multiples_of(8, 512, 16384), ldx = range(512, 16448), dtype = one_of { "bf16", "f16", "f32" },
    where = function(w) return all_of(le(w.N, w.ldx), le(w.T * w.ldx, 268435456)) end,
  },
  workloads = {
    { name = "decode_bf16",  T = 64,   N = 4096, ldx = 4096, dtype = "bf16", weight = 0.7, sets = { "default" }, devices = { "cuda" } },
    { name = "prefill_bf16", T = 8192, N = 4096, ldx = 4100, dtype = "bf16", weight = 0.3, sets = { "default" }, devices = { "cuda" } },
    { name = "t16n1024_bf16",        T = 16, N = 1024, ldx = 1024, dtype = "bf16", sets = { "default" }, devices = { "cpu" } },
    { name = "t17n1024_f16_strided", T = 17, N = 1024, ldx = 1028, dtype = "f16",  sets = { "default" }, devices = { "cpu" } },
    { name = "t5n520_f32_strided",   T = 5,  N = 520,  ldx = 523,  dtype = "f32",  sets = { "small" } },
    { name = "t3n512_bf16_strided",  T = 3,  N = 512,  ldx = 515,  dtype = "bf16", sets = { "small" } },
    { name = "t1n16384_bf16",        T = 1,  N = 16384, ldx = 16384, dtype = "bf16", sets = { "small" } },
  },
  arguments = {
    input  { "x",        dtype = "$dtype", shape = { "T", "N" }, strides = { "ldx", 1 }, align = 16, gen = normal {} },
    inout  { "residual", dtype = "$dtype", shape = { "T", "N" }, gen = normal {}, compare = relative {} },
    -- About 1 element in 800 of a bf16 row is exactly half the maximum: a tie, which an honest y / scale in fp32 may round
    -- either way. Rounding y through bf16, which the contract does not allow, changes 1 in 20.
    output { "q",        dtype = "s8",     shape = { "T", "N" }, compare = quantized { scale = "scale", steps = 1 } },
    output { "scale",    dtype = "f32",    shape = { "T" },      compare = relative {} },
    scalar { "eps",      dtype = "f32",    value = 1e-6 },
  },
  -- Before attention and before the MLP of each layer.
  models = function(m, q)
    if q.phase == "cross" then return {} end
    local tokens = q.phase == "decode" and 1 or q.phase == "chunk" and min(512, q.context) or q.context
    return { { T = q.batch * tokens, N = m.hidden, ldx = m.hidden, dtype = m.dtype, weight = 2 * m.layers } }
  end,
  accept = {
    ["min(max(__float_as_uint(divisor) >> 23, 8u), 253u)"] = "the exponent of a row's largest magnitude: beyond these "
      .. "ends 1 / divisor leaves the normal numbers",
  },
  reference = { source = "reference.cu", entry = "reference<$dtype>", sizes = { "T", "N", "ldx" },
                threads = function(w) return w.T end },
  work = function(w)
    local elements = w.T * w.N
    return { bytes = elements * (3 * bytes_of[w.dtype] + 1) + 4 * w.T, flops = { f32 = 5 * elements }, exps = 0 }
  end,
}
