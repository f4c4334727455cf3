-- Bytes of WmmaTile: scores or P V in fp32 (rows padded by 4), then Q, K, V and the weights.
local function shared_bytes(p, w)
  local rows, width = 16 * p.WARPS, round_up(w.D, 16)
  return 4 * rows * (max(p.BLOCK_N, width) + 4) + 2 * (rows + 2 * p.BLOCK_N) * (width + p.PAD) + 2 * rows * (p.BLOCK_N + p.PAD)
end

return variant {
  technique = "tensor-cores-wmma", risk = "low",
  estimate  = { speedup = { 20, 100 }, probability = 0.9, evaluations = 20 },
  requires  = { arch = ">=80" },
  params = {
    WARPS   = { values = { 2, 4, 8 }, bind = "template" },            -- of 16 query rows each
    BLOCK_N = { values = { 32, 48, 64, 96, 128 }, bind = "template" },  -- keys of a tile
    PAD     = { values = { 8, 16 }, bind = "template" },               -- elements behind each row in shared memory
  },
  valid = function(p, w, device)
    return le(shared_bytes(p, w), device.max_shared_bytes)
  end,
  steps = function(p, w, device)
    return { launch { entry = "attention_wmma<$dtype,$D,$WARPS,$BLOCK_N,$PAD>",
                      grid = { cdiv(w.Sq, 16 * p.WARPS), w.Hq, w.B }, block = { 32 * p.WARPS },
                      shared = shared_bytes(p, w),
                      args = { "q", "k", "v", "o", "lse", "scale", i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk),
                               i32(w.causal) } } }
  end,
}
