-- s[r] = sum of exp(x[r, :] - largest of x[r, :]). Honest ways to add up, of which some are not accurate, and an accurate
-- baseline: in the form one-hot all terms but one are equal, so that a serial sum in f32 rounds them all alike.
return kernel {
  contract = 1,
  name     = "expsum",
  summary  = "sums of exponentials, added in several honest ways",
  domain   = { M = range(1, 1024), N = range(1, 16384), dtype = one_of { "f32", "f16" },
               where = function(w) return le(w.M * w.N, 4194304) end },
  workloads = {
    { name = "m64n4096_f32", M = 64, N = 4096, dtype = "f32", sets = { "default" } },
    { name = "m64n999_f16",  M = 64, N = 999,  dtype = "f16", sets = { "default" } },
  },
  arguments = {
    input  { "x", dtype = "$dtype", shape = { "M", "N" }, gen = normal {} },
    output { "s", dtype = "f32",    shape = { "M" }, compare = relative {} },
  },
  reference = { source = "reference.cu", entry = "reference<$dtype>", sizes = { "M", "N" }, threads = function(w) return w.M end },
  work = function(w)
    return { bytes = w.M * w.N * (w.dtype == "f32" and 4 or 2) + 4 * w.M, flops = { f32 = 2 * w.M * w.N }, exps = w.M * w.N }
  end,
}
