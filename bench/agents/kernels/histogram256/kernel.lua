-- Made by harness adopt out of histogram.cu. What a line was inferred from stands behind it.
return kernel {
  contract = 1,
  name = "histogram256",
  summary = "histogram256 of histogram.cu, adopted; reference: the original itself (self-referenced)",
  domain = {
    count = range(1, 67108864),                                               -- size_t in the signature
    where = function(w) return le(256 + w.count, 67109120) end,               -- so that every point fits in memory
  },
  workloads = {
    { name = "count67108864", count = 67108864, sets = { "default" }, devices = { "cuda" } },
    { name = "count16384", count = 16384, sets = { "default" }, devices = { "cpu" } },
  },
  arguments = {
    inout { "bins", dtype = "u32", shape = { 256 }, align = 256, gen = integers { lo = 0, hi = 99 }, compare = exact {} },  -- atomics add to what it held; as large at 10 sizes, and at 4 others
    input { "data", dtype = "u8", shape = { "count" }, align = 256, gen = integers { lo = 0, hi = 99 } },  -- only read; as large at 10 sizes, and at 4 others
  },
  reference = { source = "reference.cu", entry = "reference",                 -- the original itself (self-referenced)
                sizes = { "count" }, numbers = "own",
                grid = function(w) return { cdiv(w.count, 4096) } end,
                block = function(w) return { 256 } end,
                weak = "self-referenced: equal to the original, which is not shown to be right",
  },
  work = function(w) return { bytes = 256 * 4 * 2 + w.count * 1 } end,        -- what was read or written everywhere; add flops for a floor
  adopted = { file = "histogram.cu", entry = "histogram256", digest = "cf354cba1ff850cc22b7f7c2b4f93b8c0e8b116d1526f1135b6bd0c42b32572e" },
}
