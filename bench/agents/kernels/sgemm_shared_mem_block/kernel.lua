-- Made by harness adopt out of gemm.cu. What a line was inferred from stands behind it.
return kernel {
  contract = 1,
  name = "sgemm_shared_mem_block",
  summary = "sgemm_shared_mem_block of gemm.cu, adopted; reference: its own source in double",
  domain = {
    M = multiples_of(16, 16, 65536),                                          -- int in the signature; it runs on multiples of 16 only
    N = multiples_of(16, 16, 65536),                                          -- int in the signature; it runs on multiples of 16 only
    K = multiples_of(16, 16, 65536),                                          -- int in the signature; it runs on multiples of 16 only
    where = function(w) return le(w.M * w.K + w.K * w.N + w.M * w.N, 16777216) end,  -- so that every point fits in memory
  },
  workloads = {
    { name = "M2048_N2048_K2048", M = 2048, N = 2048, K = 2048, sets = { "default" }, devices = { "cuda" } },
    { name = "M64_N64_K64", M = 64, N = 64, K = 64, sets = { "default" }, devices = { "cpu" } },
  },
  arguments = {
    scalar { "alpha", dtype = "f32", value = 0.5 },                           -- nobody said which; --size alpha=VALUE
    input { "A", dtype = "f32", shape = { "M", "K" }, align = 256, gen = normal {} },  -- only read; as large at 10 sizes, and at 4 others
    input { "B", dtype = "f32", shape = { "K", "N" }, align = 256, gen = normal {} },  -- only read; as large at 10 sizes, and at 4 others
    scalar { "beta", dtype = "f32", value = 0.5 },                            -- nobody said which; --size beta=VALUE
    inout { "C", dtype = "f32", shape = { "M", "N" }, align = 256, gen = normal {}, compare = relative { impostor_bits = 10 } },  -- read before it was written; as large at 10 sizes, and at 4 others
  },
  reference = { source = "reference.cu", entry = "reference",                 -- its own source in double
                sizes = { "M", "N", "K" }, numbers = "wide",
                grid = function(w) return { cdiv(w.M, 16), cdiv(w.N, 16) } end,
                block = function(w) return { 256 } end,
                weak = "the original's own source in double, which shares its mistakes",
  },
  work = function(w) return { bytes = w.M * w.K * 4 + w.K * w.N * 4 + w.M * w.N * 4 * 2 } end,  -- what was read or written everywhere; add flops for a floor
  adopted = { file = "gemm.cu", entry = "sgemm_shared_mem_block", digest = "674b5c5ac47b541eb0dd7ac25f5575fc2c382a7859272412973cdeaf226bab92" },
}
