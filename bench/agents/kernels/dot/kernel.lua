-- Made by harness adopt out of dot_product.cu. What a line was inferred from stands behind it.
return kernel {
  contract = 1,
  name = "dot",
  summary = "dot of dot_product.cu, adopted; reference: its own source in double",
  domain = {
    n = range(1, 8000000),                                                      -- int in the signature
    where = function(w) return le(w.n + w.n + 1, 16777216) end,               -- so that every point fits in memory
  },
  workloads = {
    { name = "n8000000", n = 8000000, sets = { "default" }, devices = { "cuda" } },
    { name = "n8192", n = 8192, sets = { "default" }, devices = { "cpu" } },
  },
  arguments = {
    input { "a", dtype = "f32", shape = { "n" }, align = 256, gen = normal {} },  -- only read; as large at 10 sizes, and at 4 others
    input { "b", dtype = "f32", shape = { "n" }, align = 256, gen = normal {} },  -- only read; as large at 10 sizes, and at 4 others
    inout { "result", dtype = "f32", shape = { 1 }, align = 256, gen = constant { value = 0 }, compare = relative { impostor_bits = 10 } },  -- atomics add to what it held; as large at 10 sizes, and at 4 others
  },
  reference = { source = "reference.cu", entry = "reference",                 -- its own source in double
                sizes = { "n" }, numbers = "wide",
                grid = function(w) return { 64 } end,
                block = function(w) return { 256 } end,
                shared = function(w) return 2048 end,
                weak = "the original's own source in double, which shares its mistakes",
  },
  work = function(w) return { bytes = w.n * 4 + w.n * 4 + 1 * 4 * 2 } end,    -- what was read or written everywhere; add flops for a floor
  deterministic = false,                                                      -- atomics on floating-point numbers
  adopted = { file = "dot_product.cu", entry = "dot", digest = "42bda51b4343d583b31f61d70eab6cd610134946bd2e328c460aa79479f8b743" },
}
