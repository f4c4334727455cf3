-- Made by harness adopt out of row_softmax.cu. What a line was inferred from stands behind it.
return kernel {
  contract = 1,
  name = "row_softmax",
  summary = "row_softmax of row_softmax.cu, adopted; reference: its own source in double, which agrees with the host function softmax_cpu",
  domain = {
    rows = range(1, 65536),                                                   -- int in the signature
    cols = range(1, 65536),                                                   -- int in the signature
    where = function(w) return le(w.rows * w.cols + w.rows * w.cols, 16777216) end,  -- so that every point fits in memory
  },
  workloads = {
    { name = "rows4096_cols2048", rows = 4096, cols = 2048, sets = { "default" }, devices = { "cuda" } },
    { name = "rows128_cols128", rows = 128, cols = 128, sets = { "default" }, devices = { "cpu" } },
  },
  arguments = {
    input { "x", dtype = "f32", shape = { "rows", "cols" }, align = 256, gen = normal {} },  -- only read; as large at 10 sizes, and at 4 others
    output { "y", dtype = "f32", shape = { "rows", "cols" }, align = 256, compare = relative { impostor_bits = 10 } },  -- only written; as large at 10 sizes, and at 4 others
  },
  reference = { source = "reference.cu", entry = "reference",                 -- its own source in double, which agrees with the host function softmax_cpu
                sizes = { "rows", "cols" }, numbers = "wide",
                grid = function(w) return { w.rows } end,
                block = function(w) return { 256 } end,
  },
  work = function(w) return { bytes = w.rows * w.cols * 4 + w.rows * w.cols * 4 } end,  -- what was read or written everywhere; add flops for a floor
  adopted = { file = "row_softmax.cu", entry = "row_softmax", digest = "b7ce624a37bda4056aaf872ba0615ecee7e6c02f323b9943dc9f6fed3c19e316" },
}
