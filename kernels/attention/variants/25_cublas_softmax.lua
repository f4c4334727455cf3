-- Two library products with our softmax between them: see 25_cublas_softmax.cu.

-- The rows of the query heads that share a KV head lie one after the other, so a group is one product of rows of several heads.
-- Scores and weights have a pitch of whole 16 bytes, for any Sk; where they are larger than a device, it is out of memory.
local function pitch(w) return round_up(w.Sk, 8) end

return variant {
  technique = "library-products", risk = "low",
  estimate  = { speedup = { 2, 60 }, probability = 0.9, evaluations = 20 },
  params = {
    SCORES  = { values = { 0, 1, 2, 3 }, bind = "launch" },        -- algorithm of q k^T, in the order of the heuristics
    VALUES  = { values = { 0, 1, 2, 3 }, bind = "launch" },        -- of weights v
    THREADS = { values = { 128, 256, 512 }, bind = "template" },   -- of a row of the softmax
  },
  requires = { device = "cuda" },
  workspaces = function(p, w, device)
    local elements = w.B * w.Hq * w.Sq * pitch(w)
    return {
      workspace { "scores",  bytes = 4 * elements, align = 256, init = "dirty" },
      workspace { "weights", bytes = 2 * elements, align = 256, init = "dirty" },
    }
  end,
  steps = function(p, w, device)
    local rows = w.Hq // w.Hkv * w.Sq
    return {
      library { "cublas", "gemm", a = "q", b = "k", c = "scores", c_dtype = "f32", m = rows, n = w.Sk, k = w.D,
                batch = w.B * w.Hkv, transpose_b = true, c_pitch = pitch(w), algorithm = p.SCORES },
      launch { entry = "softmax_rows<$dtype,$THREADS>", grid = { w.B * w.Hq * w.Sq }, block = { p.THREADS }, shared = 0,
               args = { "scores", "weights", "lse", "scale", i32(w.Sq), i32(w.Sk), i32(pitch(w)), i32(w.causal) } },
      library { "cublas", "gemm", a = "weights", b = "v", c = "o", a_dtype = w.dtype, m = rows, n = w.D, k = w.Sk,
                batch = w.B * w.Hkv, a_pitch = pitch(w), algorithm = p.VALUES },
    }
  end,
}
