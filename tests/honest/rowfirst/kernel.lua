-- largest[r] and where it stands first in x[r, :], and the sum of what lies above zero. Its variants are right and are
-- written so that a compiler copies their comparisons: unrolled loops, peeled ends, helpers and templates.
return kernel {
  contract = 1,
  name     = "rowfirst",
  summary  = "the first largest element of each row, and the sum of the positive ones",
  domain   = { M = range(1, 4096), N = range(1, 4096), where = function(w) return le(w.M * w.N, 4194304) end },
  workloads = { { name = "m64n512", M = 64, N = 512, sets = { "default" } } },
  arguments = {
    input  { "x",       dtype = "f32", shape = { "M", "N" }, gen = normal {} },
    output { "largest", dtype = "f32", shape = { "M" }, compare = exact {} },
    output { "at",      dtype = "s32", shape = { "M" }, compare = exact {} },
    output { "sum",     dtype = "f32", shape = { "M" }, compare = relative {} },
  },
  reference = { source = "reference.cu", entry = "reference", sizes = { "M", "N" }, threads = function(w) return w.M end },
  work = function(w) return { bytes = 4 * w.M * w.N + 12 * w.M, flops = { f32 = 2 * w.M * w.N } } end,
}
