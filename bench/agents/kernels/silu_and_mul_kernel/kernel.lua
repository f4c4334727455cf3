-- Made by harness adopt out of swiglu_torch.cu. What a line was inferred from stands behind it.
local bytes_of = { f64 = 8, f32 = 4, f16 = 2, bf16 = 2, s32 = 4, s64 = 8 }

return kernel {
  contract = 1,
  name = "silu_and_mul_kernel",
  summary = "silu_and_mul_kernel of swiglu_torch.cu, adopted; reference: its own source in double",
  domain = {
    d = range(1, 65536),                                                      -- const int in the signature
    num_tokens = range(1, 65536),                                             -- the host launches with it, the kernel is not passed it
    dtype = one_of { "f32" },                                                 -- scalar_t of the template, as it is launched
    where = function(w) return le(w.num_tokens * w.d + w.num_tokens * 2 * w.d, 16777216) end,  -- so that every point fits in memory
  },
  workloads = {
    { name = "d4096_num_tokens1024_f32", d = 4096, num_tokens = 1024, dtype = "f32", sets = { "default" }, devices = { "cuda" } },
    { name = "d64_num_tokens64_f32", d = 64, num_tokens = 64, dtype = "f32", sets = { "default" }, devices = { "cpu" } },
  },
  arguments = {
    output { "out", dtype = "$dtype", shape = { "num_tokens", "d" }, align = 256, compare = relative {} },  -- only written; as large at 10 sizes, and at 4 others
    input { "input", dtype = "$dtype", shape = { "num_tokens", 2, "d" }, align = 256, gen = normal {} },  -- only read; as large at 10 sizes, and at 4 others
  },
  reference = { source = "reference.cu", entry = "reference",                 -- its own source in double
                sizes = { "d", "num_tokens" }, numbers = "wide",
                grid = function(w) return { w.num_tokens } end,
                block = function(w) return { min(w.d, 1024) } end,
                weak = "the original's own source in double, which shares its mistakes",
  },
  work = function(w) return { bytes = w.num_tokens * w.d * bytes_of[w.dtype] + w.num_tokens * 2 * w.d * bytes_of[w.dtype] } end,  -- what was read or written everywhere; add flops for a floor
  adopted = { file = "swiglu_torch.cu", entry = "silu_and_mul_kernel", digest = "4eeef209e7293aa3dc75388e140bf84f831b52f2f634c9de6b5e0900cc5bd337" },
}
