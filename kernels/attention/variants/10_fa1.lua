-- Bytes of the fp32 tiles of OnlineTile: Q, K, V and scores, each row padded by 4.
local function shared_bytes(p, w)
  return 4 * ((p.BLOCK_M + 2 * p.BLOCK_N) * (w.D + 4) + p.BLOCK_M * (p.BLOCK_N + 4))
end

return variant {
  technique = "tiling", risk = "low",
  estimate  = { speedup = { 4, 30 }, probability = 0.9, evaluations = 40 },
  params = {
    BLOCK_M = { values = { 16, 32, 64, 128 }, bind = "template" },  -- query rows of a block
    BLOCK_N = { values = { 16, 32, 64, 128 }, bind = "template" },  -- keys of a tile
    ROWS    = { values = { 1, 2, 4, 8 }, bind = "template" },       -- query rows of a thread
    LANES   = { values = { 8, 16, 32 }, bind = "template" },        -- threads that share a row
    VEC     = { values = { 4, 8 }, bind = "template" },             -- elements of a global load
  },
  valid = function(p, w, device)
    local threads = p.BLOCK_M // p.ROWS * p.LANES
    return all_of(
      threads >= 64, threads <= 512, le(threads, device.max_threads_per_block),
      p.BLOCK_N % p.LANES == 0,
      divisible(w.D, p.LANES),
      p.ROWS * p.BLOCK_N >= 2 * p.LANES,  -- at least two scores a thread
      -- scores and outputs of a thread live in registers
      le(p.ROWS * (p.BLOCK_N + w.D), 96 * p.LANES),
      le(shared_bytes(p, w), device.max_shared_bytes))
  end,
  steps = function(p, w, device)
    return { launch { entry = "attention_fa1<$dtype,$D,$BLOCK_M,$BLOCK_N,$ROWS,$LANES,$VEC>",
                      grid = { cdiv(w.Sq, p.BLOCK_M), w.Hq, w.B }, block = { p.BLOCK_M // p.ROWS * p.LANES },
                      shared = shared_bytes(p, w),
                      args = { "q", "k", "v", "o", "lse", "scale", i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk),
                               i32(w.causal) } } }
  end,
}
