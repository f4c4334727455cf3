-- d = act(a b + bias) * other + residual: the matrix product of linear layers with what frameworks fuse behind it.
-- a is [M, K]. b is [K, N], or with `linear` [N, K], as the weights of a linear layer are stored. Rows of a, b and d are
-- lda, ldb and ldd elements apart; `other` and `residual` lie as d does. act is the identity, with `gelu`
-- x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), with `silu` x / (1 + exp(-x)). Products are exact and added in fp32 at
-- least; nothing is rounded before d.

local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }
local workloads = {}

-- The workload of that product; `options` are fields of the domain that differ from the plain ones, and sets and so on.
local function add(name, M, N, K, options)
  local w = { name = name, M = M, N = N, K = K, dtype = "bf16", out = "bf16", linear = true,
              bias = false, gelu = false, silu = false, other = false, residual = false }
  for field, value in pairs(options) do w[field] = value end
  w.lda = w.lda or K
  w.ldb = w.ldb or (w.linear and K or (N + 7) // 8 * 8)
  w.ldd = w.ldd or N
  workloads[#workloads + 1] = w
end

-- What a CPU tries by default, and edges: sizes off every tile, padded rows, each part of the epilogue.
add("m64n64k64", 64, 64, 64, { sets = { "default" }, devices = { "cpu" } })
add("m33n72k136_f16_plain", 33, 72, 136, { dtype = "f16", out = "f16", linear = false, sets = { "default" }, devices = { "cpu" } })
add("m1n1k8", 1, 1, 8, { sets = { "small" } })
add("m65n129k72_f32_bias", 65, 129, 72, { out = "f32", bias = true, sets = { "small" } })
add("m40n96k64_gelu", 40, 96, 64, { bias = true, gelu = true, linear = false, sets = { "small" } })
add("m17n40k80_f16_gate", 17, 40, 80, { dtype = "f16", out = "f16", silu = true, other = true, sets = { "small" } })
add("m70n50k48_residual_padded", 70, 50, 48, { residual = true, linear = false, lda = 56, ldb = 64, ldd = 51, sets = { "small" } })

-- Cubes.
for _, S in ipairs { 512, 1024, 2048, 4096, 8192, 16384 } do
  add("cube" .. S, S, S, S, { sets = S == 4096 and { "cubes", "default" } or { "cubes" }, devices = { "cuda" } })
end

-- The projections of models: hidden size, width of the heads of queries and of keys and values, width inside the MLP,
-- vocabulary. Source: config.json of each model (docs/gemm.md).
local models = {
  { "qwen2_5_0_5b", hidden = 896,  q = 896,  kv = 128,  mlp = 4864,  vocabulary = 151936, bias = true },
  { "llama3_2_1b",  hidden = 2048, q = 2048, kv = 512,  mlp = 8192,  vocabulary = 128256 },
  { "llama3_1_8b",  hidden = 4096, q = 4096, kv = 1024, mlp = 14336, vocabulary = 128256 },
  { "qwen2_5_32b",  hidden = 5120, q = 5120, kv = 1024, mlp = 27648, vocabulary = 152064, bias = true },
  { "llama3_1_70b", hidden = 8192, q = 8192, kv = 1024, mlp = 28672, vocabulary = 128256 },
}
for _, m in ipairs(models) do
  for _, M in ipairs { 1, 16, 64, 128, 512, 2048, 8192 } do
    local function projection(part, N, K, options)
      local name = m[1] .. "_" .. part .. "_m" .. M
      options.sets = { m[1], M <= 128 and "narrow" or "wide", part }
      if name == "llama3_1_8b_down_m16" or name == "llama3_1_8b_qkv_m2048" then options.sets[4] = "default" end
      options.devices = { "cuda" }
      if M * N < 1610612736 then add(name, M, N, K, options) end
    end
    projection("qkv", m.q + 2 * m.kv, m.hidden, { bias = m.bias })
    projection("o", m.hidden, m.q, { residual = true })
    projection("gate_up", 2 * m.mlp, m.hidden, {})
    projection("down", m.hidden, m.mlp, { residual = true })
    if M <= 512 then projection("head", m.vocabulary, m.hidden, { out = "f32" }) end
  end
end

local ALIGN = 256  -- what CUDA's allocators give
local MOST = 1610612736  -- elements of a matrix: 3 GB of 16-bit ones

return kernel {
  contract = 1,
  name     = "gemm",
  summary  = "d = act(a b + bias) * other + residual, 16-bit factors, fp32 accumulation",
  domain   = {
    M = range(1, 65536), N = range(1, 262144), K = multiples_of(8, 8, 65536),
    lda = multiples_of(8, 8, 65600), ldb = multiples_of(8, 8, 262208), ldd = range(1, 262208),
    dtype = one_of { "bf16", "f16" }, out = one_of { "bf16", "f16", "f32" }, linear = boolean(), bias = boolean(),
    gelu = boolean(), silu = boolean(), other = boolean(), residual = boolean(),
    where = function(w)
      return all_of(w.out == "f32" or w.out == w.dtype, not (w.gelu and w.silu), le(w.K, w.lda), le(w.N, w.ldd),
                    le(w.linear and w.K or w.N, w.ldb), le(w.M * w.lda, MOST), le((w.linear and w.N or w.K) * w.ldb, MOST),
                    le(w.M * w.ldd, MOST))
    end,
  },
  workloads = workloads,
  arguments = {
    input  { "a",        dtype = "$dtype", shape = { "M", "K" }, strides = { "lda", 1 }, align = ALIGN, gen = normal {} },
    input  { "b",        dtype = "$dtype", shape = { function(w) return w.linear and w.N or w.K end,
                                                     function(w) return w.linear and w.K or w.N end },
             strides = { "ldb", 1 }, align = ALIGN, gen = normal {} },
    input  { "bias",     dtype = "$dtype", shape = { "N" }, align = ALIGN, optional = true, present = "bias", gen = normal {} },
    input  { "other",    dtype = "$dtype", shape = { "M", "N" }, strides = { "ldd", 1 }, align = ALIGN, optional = true,
             present = "other", gen = normal {} },
    input  { "residual", dtype = "$dtype", shape = { "M", "N" }, strides = { "ldd", 1 }, align = ALIGN, optional = true,
             present = "residual", gen = normal {} },
    output { "d",        dtype = "$out", shape = { "M", "N" }, strides = { "ldd", 1 }, align = ALIGN, compare = relative {} },
  },
  -- The projections of a layer on the tokens of a pass, and the last one on a token a sequence. Of experts each gets its
  -- share of the tokens.
  models = function(m, q)
    local tokens = q.batch * (q.phase == "decode" and 1 or q.phase == "chunk" and min(512, q.context)
                              or q.phase == "cross" and m.cross_queries or q.context)
    local shapes = {}
    local function projection(part, M, N, K, calls, options)
      if max(M * K, N * K, M * N) > MOST then return end  -- the domain has no such matrix
      local w = { part = part, M = M, N = N, K = K, lda = K, ldb = K, ldd = N, dtype = m.dtype, out = m.dtype, linear = true,
                  bias = m.bias, gelu = false, silu = false, other = false, residual = false, weight = calls }
      for field, value in pairs(options) do w[field] = value end
      shapes[#shapes + 1] = w
    end
    local width, kv = m.heads * m.head_dim, m.kv_heads * m.head_dim
    if q.phase == "cross" then
      projection("q", tokens, width, m.hidden, m.cross_layers, {})
      projection("kv", q.batch * q.context, 2 * kv, m.cross_hidden, m.cross_layers, {})
      projection("o", tokens, m.hidden, width, m.cross_layers, { residual = true })
      return shapes
    end
    projection("qkv", tokens, width + 2 * kv, m.hidden, m.layers, {})
    projection("o", tokens, m.hidden, width, m.layers, { bias = m.bias and not m.gated, residual = true })
    local rows, calls = tokens, m.layers
    if m.experts > 0 then
      calls = m.layers * min(m.experts, tokens * m.experts_per_token)
      rows = cdiv(tokens * m.experts_per_token, m.experts)
    end
    if m.mlp > 0 then
      if m.gated then projection("gate-up", rows, 2 * m.mlp, m.hidden, calls, { bias = false })
      else projection("up", rows, m.mlp, m.hidden, calls, { gelu = true }) end
      projection("down", rows, m.hidden, m.mlp, calls, { bias = m.bias and not m.gated, residual = m.experts == 0 })
    end
    if m.vocabulary > 0 and q.phase ~= "encoder" then
      projection("head", q.batch, m.vocabulary, m.hidden, 1, { bias = false, out = m.dtype == "bf16" and "f32" or m.dtype })
    end
    return shapes
  end,
  reference = { source = "reference.cu", entry = "reference<$dtype>",
                sizes = { "M", "N", "K", "lda", "ldb", "ldd", "linear", "gelu", "silu" },
                threads = function(w) return 128 * ((w.M + 63) // 64) * ((w.N + 63) // 64) end },
  work = function(w)
    local size, outs = 2, w.M * w.N
    local read = w.M * w.K + w.K * w.N + (w.bias and w.N or 0) + (w.other and outs or 0) + (w.residual and outs or 0)
    return { bytes = size * read + bytes_of[w.out] * outs, flops = { [w.dtype] = 2 * outs * w.K } }
  end,
}
