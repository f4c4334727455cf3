-- Bytes of a block: a partial result of each warp (over its staged tiles, if any), and what it receives from the cluster;
-- their maxima and sums.
local function shared_bytes(p, w)
  local row = select(all_of(divisible(w.D, 64), divisible(256, w.D)), 2 * w.D, 32 * cdiv(w.D, 16) + 16)
  local staged = p.ASYNC * row * (p.ROWS + 2 * p.KEYS)
  local partial = 4 * p.ROWS * (w.D + 8)
  local received = p.CLUSTER > 1 and (p.PUSH == 1 and p.WARPS or 1) or 0
  return p.WARPS * (max(staged, partial) + 8 * p.ROWS) + received * (partial + 8 * p.ROWS)
end

return variant {
  technique = "tiny-cluster", risk = "medium",
  -- latency is what it saves, and a long row has none to save
  estimate  = function(w)
    return { speedup = w.Sk <= 1024 and { 50, 500 } or { 10, 100 }, probability = 0.8, evaluations = 40 }
  end,
  requires  = { arch = ">=90" },
  params = {
    WARPS   = { values = { 1, 2, 4, 8 }, bind = "template" },        -- that share the keys of a block
    CLUSTER = { values = { 1, 2, 4, 8, 16 }, bind = "template" },    -- blocks that share the keys
    KEYS    = { values = { 16, 32, 48, 64 }, bind = "template" },    -- that a warp holds at a time
    ROWS    = { values = { 16, 32 }, bind = "template" },            -- query rows of a cluster
    PUSH    = { values = { 0, 1 }, bind = "template" },              -- warps send to other blocks by themselves
    ASYNC   = { values = { 0, 1 }, bind = "template" },              -- K and V through registers, or cp.async and ldmatrix
    WALKS   = { values = { 0, 1 }, bind = "template" },              -- 1: there are more keys than all warps hold at a time
  },
  start = { { WARPS = 4, CLUSTER = 4, KEYS = 32, ASYNC = 1 }, { WARPS = 4, CLUSTER = 1, KEYS = 64, ASYNC = 1 },
            { WARPS = 4, CLUSTER = 1, KEYS = 48, ASYNC = 1 }, { WARPS = 4, CLUSTER = 1, KEYS = 32, ASYNC = 1 },
            { WARPS = 4, CLUSTER = 1, KEYS = 16, ASYNC = 1 }, { WARPS = 2, CLUSTER = 1, KEYS = 48, ASYNC = 1 },
            { WARPS = 1, CLUSTER = 1, KEYS = 16, ASYNC = 1 } },
  valid = function(p, w, device)
    local tiles = p.ROWS // 16
    local loaded = tiles * w.D // 4 + (1 - p.ASYNC) * p.KEYS * w.D // 32  -- registers of Q, K and V
    return all_of(
      p.CLUSTER * p.WARPS <= 64,
      p.PUSH == 0 or (p.CLUSTER > 1 and p.CLUSTER * p.WARPS <= 16),
      any_of(p.ASYNC == 1, all_of(divisible(w.D, 64), divisible(256, w.D))),
      p.PUSH == 1 or le(128 * p.WARPS, p.ROWS * w.D),  -- every thread has something to combine
      le(loaded + tiles * (p.KEYS + w.D) // 2, 208),
      -- no warp without a key; and a warp takes keys twice only where there are too many for 8 warps a block
      le((p.CLUSTER * p.WARPS - 1) * p.KEYS + 1, w.Sk),
      p.WALKS == 1 or le(w.Sk, p.CLUSTER * p.WARPS * p.KEYS),
      p.WALKS == 0 or all_of(p.WARPS == 8, le(p.CLUSTER * p.WARPS * p.KEYS + 1, w.Sk)),
      le(shared_bytes(p, w), device.max_shared_bytes))
  end,
  steps = function(p, w, device)
    return { launch { entry = "attention_tiny<$dtype,$D,$ROWS,$WARPS,$CLUSTER,$KEYS,$ASYNC,$PUSH,$WALKS>",
                      grid = { cdiv(w.Sq, p.ROWS) * p.CLUSTER, w.Hq // w.Hkv, w.B * w.Hkv }, block = { 32 * p.WARPS },
                      cluster = { p.CLUSTER }, shared = shared_bytes(p, w),
                      args = { "q", "k", "v", "o", "lse", "scale", i32(w.Sq), i32(w.Sk), i32(w.causal) } } }
  end,
}
