-- y[r, :] = (x[r, :] - mean) / sqrt(variance + eps), with the variance as E[x^2] - E[x]^2: on rows far from zero that
-- cancels, and the contract says that there are none.
return kernel {
  contract = 1,
  name     = "shifted_norm",
  summary  = "normalization of rows by E[x^2] - E[x]^2",
  domain   = { M = range(1, 1024), N = range(8, 4096) },
  workloads = { { name = "m64n1024", M = 64, N = 1024, sets = { "default" } } },
  forms = { except = { "shifted", "lowered" }, because = "E[x^2] - E[x]^2 by contract: rows lie around zero" },
  arguments = {
    input  { "x",   dtype = "f32", shape = { "M", "N" }, gen = normal {} },
    output { "y",   dtype = "f32", shape = { "M", "N" }, compare = relative {} },
    scalar { "eps", dtype = "f32", value = 1e-5 },
  },
  reference = { source = "reference.cu", entry = "reference", sizes = { "M", "N" }, threads = function(w) return w.M end },
  work = function(w) return { bytes = 8 * w.M * w.N, flops = { f32 = 5 * w.M * w.N } } end,
}
