-- Made by harness adopt out of layernorm.cu. What a line was inferred from stands behind it.
return kernel {
  contract = 1,
  name = "layernorm_forward_kernel",
  summary = "layernorm_forward_kernel of layernorm.cu, adopted; reference: its own source in double, which agrees with the host function layernorm_forward_cpu",
  domain = {
    N = range(1, 65536),                                                      -- int in the signature
    C = range(1, 65536),                                                      -- int in the signature
    where = function(w) return le(w.N * w.C + w.N + w.N + w.N * w.C + w.C + w.C, 16777216) end,  -- so that every point fits in memory
  },
  workloads = {
    { name = "N8192_C768", N = 8192, C = 768, sets = { "default" }, devices = { "cuda" } },
    { name = "N64_C64", N = 64, C = 64, sets = { "default" }, devices = { "cpu" } },
  },
  arguments = {
    output { "out", dtype = "f32", shape = { "N", "C" }, align = 256, compare = relative { impostor_bits = 10 } },  -- only written; as large at 10 sizes, and at 4 others
    output { "mean", dtype = "f32", shape = { "N" }, align = 256, compare = relative { impostor_bits = 10 } },  -- only written; as large at 10 sizes, and at 4 others
    output { "rstd", dtype = "f32", shape = { "N" }, align = 256, compare = relative { impostor_bits = 10 } },  -- only written; as large at 10 sizes, and at 4 others
    input { "inp", dtype = "f32", shape = { "N", "C" }, align = 256, gen = normal {} },  -- only read; as large at 10 sizes, and at 4 others
    input { "weight", dtype = "f32", shape = { "C" }, align = 256, gen = normal {} },  -- only read; as large at 10 sizes, and at 4 others
    input { "bias", dtype = "f32", shape = { "C" }, align = 256, gen = normal {} },  -- only read; as large at 10 sizes, and at 4 others
  },
  reference = { source = "reference.cu", entry = "reference",                 -- its own source in double, which agrees with the host function layernorm_forward_cpu
                sizes = { "N", "C" }, numbers = "wide",
                grid = function(w) return { cdiv(w.N * 32, 256) } end,
                block = function(w) return { 256 } end,
  },
  work = function(w) return { bytes = w.N * w.C * 4 + w.N * 4 + w.N * 4 + w.N * w.C * 4 + w.C * 4 + w.C * 4 } end,  -- what was read or written everywhere; add flops for a floor
  adopted = { file = "layernorm.cu", entry = "layernorm_forward_kernel", digest = "aea5c4e887cd8f1809118823e696f0b5709560d868549d81d5b069d2a6e9a0f4" },
}
