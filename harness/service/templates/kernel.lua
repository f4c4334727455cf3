return kernel {
  contract = 1,
  name = "@NAME@",
  summary = "what @NAME@ computes, in one line",
  domain = { n = range(1, 16777216) },
  workloads = {
    { name = "n65536_f32", sets = { "default" }, n = 65536, dtype = "f32" },
  },
  arguments = {
    input { "x", dtype = "$dtype", shape = { "n" }, gen = normal {},
            -- What callers pass: both ends are always tried. Add infinities, nan, denormals, ties or sorted = true.
            values = { range = { -1000, 1000 } } },
    output { "y", dtype = "$dtype", shape = { "n" }, compare = relative {} },
  },
  reference = { source = "reference.cu", entry = "reference<$dtype>", sizes = { "n" }, threads = function(w) return w.n end },
  -- A lower bound: each input read once, each output written once, 4 bytes an element.
  work = function(w) return { bytes = 8 * w.n, flops = { f32 = w.n } } end,
}
