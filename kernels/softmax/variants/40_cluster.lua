local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }

return variant {
  technique = "row-in-cluster", risk = "medium",
  estimate  = function(w)
    return { speedup = w.N > 8192 and { 20, 300 } or { 8, 80 }, probability = 0.85, evaluations = 12 }
  end,
  requires  = { arch = ">=90" },
  params = {
    THREADS = { values = { 64, 128, 256, 512, 1024 }, bind = "template" },
    BLOCKS  = { values = { 1, 2, 4, 8 }, bind = "template" },  -- of a cluster, which hold a row
  },
  -- Two blocks or more of a multiprocessor: one loads while another waits.
  start = function(w)
    if w.N > 65536 then return { { THREADS = 512, BLOCKS = 8 }, { THREADS = 1024, BLOCKS = 8 }, { THREADS = 1024, BLOCKS = 4 } } end
    if w.N > 8192 then return { { THREADS = 512, BLOCKS = 4 }, { THREADS = 512, BLOCKS = 2 }, { THREADS = 512, BLOCKS = 1 } } end
    if w.M < 64 then return { { THREADS = 128, BLOCKS = 4 }, { THREADS = 64, BLOCKS = 4 } } end  -- few rows: more blocks
    return { { THREADS = 256, BLOCKS = 1 }, { THREADS = 128, BLOCKS = 1 } }
  end,
  valid = function(p, w, device)
    local vector = 16 // bytes_of[w.dtype]
    -- What a thread keeps, beside 32 registers for everything else, leaves its block room.
    local most = p.THREADS == 1024 and 32 or 64
    return all_of(
      le(w.N, most * p.THREADS * p.BLOCKS),
      any_of(p.THREADS == 64, le(p.THREADS * p.BLOCKS * vector, 2 * w.N)),  -- half of the threads have something to do
      any_of(p.BLOCKS == 1, le(256 * p.BLOCKS, w.N)))
  end,
  steps = function(p, w, device)
    return { launch { entry = "softmax_cluster<$dtype,$THREADS,$BLOCKS,$N>", grid = { w.M * p.BLOCKS }, block = { p.THREADS },
                      cluster = { p.BLOCKS, 1, 1 }, shared = 0, args = { "x", "y" } } }
  end,
}
