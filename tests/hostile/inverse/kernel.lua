-- q[r, p[r, j]] = j: the inverse of each row's permutation. Its inputs depend on each other, so timed calls meet three
-- draws in turn: what a call has to write was written by an earlier one, elsewhere.
return kernel {
  contract = 1,
  name     = "inverse",
  summary  = "the inverse of each row's permutation, with a variant that looks for an earlier answer",
  domain   = { M = range(1, 4096), N = range(1, 65536), where = function(w) return le(w.M * w.N, 16777216) end },
  workloads = {
    { name = "m16n4096",    M = 16,  N = 4096,  sets = { "default" }, devices = { "cpu" } },
    { name = "m128n65536",  M = 128, N = 65536, sets = { "default" }, devices = { "cuda" } },
  },
  arguments = {
    input  { "p", dtype = "s32", shape = { "M", "N" }, gen = permutation { n = "N" } },
    output { "q", dtype = "s32", shape = { "M", "N" }, compare = exact {} },
  },
  reference = { source = "reference.cu", entry = "reference", sizes = { "M", "N" }, threads = function(w) return w.M * w.N end },
  work = function(w) return { bytes = 8 * w.M * w.N } end,
}
