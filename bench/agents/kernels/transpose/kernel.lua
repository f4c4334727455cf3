-- Made by harness adopt out of transpose.cu. What a line was inferred from stands behind it.
return kernel {
  contract = 1,
  name = "transpose",
  summary = "transpose of transpose.cu, adopted; reference: its own source in double",
  domain = {
    width = range(1, 65536),                                                  -- int in the signature
    height = range(1, 65536),                                                 -- int in the signature
    where = function(w) return le(w.width * w.height + w.height * w.width, 16777216) end,  -- so that every point fits in memory
  },
  workloads = {
    { name = "width2048_height4096", width = 2048, height = 4096, sets = { "default" }, devices = { "cuda" } },
    { name = "width128_height128", width = 128, height = 128, sets = { "default" }, devices = { "cpu" } },
  },
  arguments = {
    output { "odata", dtype = "f32", shape = { "width", "height" }, align = 256, compare = relative { impostor_bits = 10 } },  -- only written; as large at 10 sizes, and at 4 others
    input { "idata", dtype = "f32", shape = { "height", "width" }, align = 256, gen = normal {} },  -- only read; as large at 10 sizes, and at 4 others
  },
  reference = { source = "reference.cu", entry = "reference",                 -- its own source in double
                sizes = { "width", "height" }, numbers = "wide",
                grid = function(w) return { cdiv(w.width, 32), cdiv(w.height, 32), 1 } end,
                block = function(w) return { 32, 8, 1 } end,
                weak = "the original's own source in double, which shares its mistakes",
  },
  work = function(w) return { bytes = w.width * w.height * 4 + w.height * w.width * 4 } end,  -- what was read or written everywhere; add flops for a floor
  adopted = { file = "transpose.cu", entry = "transpose", digest = "5812f43ab8004a3c067ce9e052978d19d42151bba04d5ecdc86fa343f2992929" },
}
