local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }

return variant {
  technique = "streamed-rows", risk = "medium",
  estimate  = function(w)
    return { speedup = w.N > 8192 and { 20, 300 } or { 8, 80 }, probability = 0.85, evaluations = 20 }
  end,
  requires  = { arch = ">=90" },
  params = {
    THREADS = { values = { 64, 128, 256, 512, 1024 }, bind = "template" },
    BLOCKS  = { values = { 1, 2, 4, 8 }, bind = "template" },     -- of a cluster, which hold a row
    STAGES  = { values = { 1, 2, 3, 4, 6 }, bind = "template" },  -- rows that are in shared memory or on their way
  },
  start = function(w)
    if w.N > 65536 then
      return { { THREADS = 1024, BLOCKS = 4, STAGES = 2 }, { THREADS = 512, BLOCKS = 8, STAGES = 2 }, { THREADS = 1024, BLOCKS = 8, STAGES = 3 } }
    end
    if w.M < 64 then return { { THREADS = 64, BLOCKS = 4, STAGES = 2 }, { THREADS = 64, BLOCKS = 1, STAGES = 2 } } end  -- few rows
    return { { THREADS = 512, BLOCKS = 1, STAGES = 3 }, { THREADS = 1024, BLOCKS = 1, STAGES = 4 }, { THREADS = 512, BLOCKS = 2, STAGES = 3 },
             { THREADS = 128, BLOCKS = 1, STAGES = 3 } }
  end,
  valid = function(p, w, device)
    local vector = 16 // bytes_of[w.dtype]
    local most = p.THREADS == 1024 and 32 or 64  -- elements of a thread
    return all_of(
      divisible(w.N, vector),
      le(w.N, most * p.THREADS * p.BLOCKS),
      le(p.THREADS * p.BLOCKS * vector, 2 * w.N),  -- half of the threads have something to do
      any_of(p.BLOCKS == 1, le(256 * p.BLOCKS, w.N)),
      le(p.STAGES * 16 * cdiv(w.N, vector * p.BLOCKS) + 16 * p.BLOCKS * (p.THREADS // 32) + 1024, device.max_shared_bytes))
  end,
  steps = function(p, w, device)
    local vector = 16 // bytes_of[w.dtype]
    return { launch { entry = "softmax_streamed<$dtype,$THREADS,$BLOCKS,$STAGES,$N>", grid = { w.M * p.BLOCKS }, block = { p.THREADS },
                      cluster = { p.BLOCKS, 1, 1 }, resident = 1, shared = p.STAGES * 16 * cdiv(w.N, vector * p.BLOCKS),
                      args = { "x", "y", i32(w.M) } } }
  end,
}
