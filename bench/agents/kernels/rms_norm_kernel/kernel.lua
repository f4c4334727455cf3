-- Made by harness adopt out of rmsnorm_torch.cu. What a line was inferred from stands behind it.
local bytes_of = { f64 = 8, f32 = 4, f16 = 2, bf16 = 2, s32 = 4, s64 = 8 }

return kernel {
  contract = 1,
  name = "rms_norm_kernel",
  summary = "rms_norm_kernel of rmsnorm_torch.cu, adopted; reference: its own source in double",
  domain = {
    num_tokens = range(1, 65536),                                             -- const int in the signature
    hidden_size = range(1, 65536),                                            -- const int in the signature
    dtype = one_of { "f16", "bf16" },                                         -- scalar_t of the template, as it is launched
    where = function(w) return le(w.num_tokens * w.hidden_size + w.num_tokens * w.hidden_size + w.hidden_size, 33558528) end,  -- so that every point fits in memory
  },
  workloads = {
    { name = "num_tokens4096_hidden_size4096_f16", num_tokens = 4096, hidden_size = 4096, dtype = "f16", sets = { "default" }, devices = { "cuda" } },
    { name = "num_tokens4096_hidden_size4096_bf16", num_tokens = 4096, hidden_size = 4096, dtype = "bf16", sets = { "default" }, devices = { "cuda" } },
    { name = "num_tokens64_hidden_size64_f16", num_tokens = 64, hidden_size = 64, dtype = "f16", sets = { "default" }, devices = { "cpu" } },
    { name = "num_tokens64_hidden_size64_bf16", num_tokens = 64, hidden_size = 64, dtype = "bf16", sets = { "default" }, devices = { "cpu" } },
  },
  arguments = {
    output { "out", dtype = "$dtype", shape = { "num_tokens", "hidden_size" }, align = 256, compare = relative {} },  -- only written; as large at 10 sizes, and at 4 others
    input { "input", dtype = "$dtype", shape = { "num_tokens", "hidden_size" }, align = 256, gen = normal {} },  -- only read; as large at 10 sizes, and at 4 others
    input { "weight", dtype = "$dtype", shape = { "hidden_size" }, align = 256, gen = normal {} },  -- only read; as large at 10 sizes, and at 4 others
    scalar { "epsilon", dtype = "f32", value = 1e-05 },                       -- nobody said which; --size epsilon=VALUE
  },
  reference = { source = "reference.cu", entry = "reference",                 -- its own source in double
                sizes = { "num_tokens", "hidden_size" }, numbers = "wide",
                grid = function(w) return { w.num_tokens } end,
                block = function(w) return { 128 } end,
                weak = "the original's own source in double, which shares its mistakes",
  },
  work = function(w) return { bytes = w.num_tokens * w.hidden_size * bytes_of[w.dtype] + w.num_tokens * w.hidden_size * bytes_of[w.dtype] + w.hidden_size * bytes_of[w.dtype] } end,  -- what was read or written everywhere; add flops for a floor
  adopted = { file = "rmsnorm_torch.cu", entry = "vision::rms_norm_kernel", digest = "c0a7b8f400ab2df3543d5119b9d0a65ff631403166be4db090a9f34d6bae2052" },
}
