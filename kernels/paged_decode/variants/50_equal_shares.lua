local function group_of(w) return w.Hq // w.Hkv end
local function keys_of(p) return 16 * p.PARTS end
local function shared_bytes(p, w)
  return p.RING * 2 * keys_of(p) * (2 * p.HEADS * w.D + 16) + 4 * p.HEADS * p.PARTS * group_of(w) * (w.D + 3)
end
-- Blocks of the grid: as many as are wanted on each multiprocessor, shared by the groups of heads.
local function shares_of(p, w, device) return max(1, device.multiprocessors * p.PER_SM // (w.Hkv // p.HEADS)) end

return variant {
  technique = "equal-shares", risk = "medium",
  -- Over 40_streamed: equal shares 1.05 to 1.3, the more the fewer sequences there are; contiguous copies 1.05.
  estimate  = { speedup = { 20, 450 }, probability = 0.75, evaluations = 25 },
  requires  = { arch = ">=90" },
  params = {
    HEADS  = { values = { 1, 2, 4, 8 }, bind = "template" },     -- key heads of a block, a warp or more each
    PARTS  = { values = { 1, 2, 4, 8 }, bind = "template" },     -- warps of a head: 16 keys of a round each
    RING   = { values = { 2, 3, 4, 5, 6, 8 }, bind = "template" },  -- rounds in shared memory or on their way
    PER_SM = { values = { 1, 2, 3, 4 }, bind = "launch" },       -- blocks of a multiprocessor
  },
  start = function(w)
    return { { HEADS = 4, PARTS = 2, RING = 3, PER_SM = 1 }, { HEADS = 8, PARTS = 1, RING = 3, PER_SM = 1 },
             { HEADS = 2, PARTS = 2, RING = 3, PER_SM = 2 }, { HEADS = 2, PARTS = 4, RING = 3, PER_SM = 1 },
             { HEADS = 1, PARTS = 4, RING = 3, PER_SM = 2 }, { HEADS = 1, PARTS = 2, RING = 2, PER_SM = 1 } }
  end,
  valid = function(p, w, device)
    return p.HEADS * p.PARTS >= 2 and p.HEADS * p.PARTS <= 8
      and all_of(
        divisible(w.Hkv, p.HEADS), le(group_of(w), 16),
        le(p.PER_SM * (shared_bytes(p, w) + 3072), device.max_shared_bytes + 1024))
  end,
  workspaces = function(p, w, device)
    local partials = 2 * shares_of(p, w, device) * w.Hq
    return {
      workspace { "o_partial",   bytes = 4 * partials * w.D,      align = 256, init = "dirty" },
      workspace { "max_partial", bytes = 4 * partials,            align = 256, init = "dirty" },
      workspace { "sum_partial", bytes = 4 * partials,            align = 256, init = "dirty" },
      workspace { "arrived",     bytes = 4 * w.B * (w.Hkv // p.HEADS), align = 256, init = "zeroed" },
    }
  end,
  steps = function(p, w, device)
    return { launch { entry = "decode_shares<$dtype,$D,$block,$Hq,$Hkv,$HEADS,$PARTS,$RING>",
                      grid = { shares_of(p, w, device), w.Hkv // p.HEADS }, block = { 32 * (p.HEADS * p.PARTS + 1) },
                      shared = shared_bytes(p, w),
                      args = { "q", "k_pages", "v_pages", "lengths", "page_table", "o", "o_partial", "max_partial", "sum_partial",
                               "arrived", "scale", i32(w.B), i32(w.max_pages) } } }
  end,
}
