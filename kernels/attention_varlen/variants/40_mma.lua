-- Bytes of MmaTile: the queries, and a ring of K and V tiles. Where rows are not swizzled they have one chunk of 16 bytes more.
local function shared_bytes(p, w)
  local row = select(all_of(divisible(w.D, 64), divisible(256, w.D)), 2 * w.D, 32 * cdiv(w.D, 16) + 16)
  return row * (16 * p.WARPS * p.TILES + p.RING * p.BLOCK_N)
end

return variant {
  technique = "tensor-cores", risk = "medium",
  estimate  = { speedup = { 50, 400 }, probability = 0.8, evaluations = 40 },
  requires  = { arch = ">=80" },
  params = {
    WARPS       = { values = { 4, 8 }, bind = "template" },
    TILES       = { values = { 1, 2 }, bind = "template" },        -- of 16 query rows of a warp
    BLOCK_N     = { values = { 32, 48, 64, 96, 128 }, bind = "template" },  -- keys of a tile
    RING        = { values = { 2, 3, 4, 6 }, bind = "template" },  -- tiles of K and V in shared memory
    Q_REGISTERS = { values = { 0, 1 }, bind = "template" },        -- queries stay in registers, or are read again for each tile
    BLOCKS      = { values = { 1, 2, 3 }, bind = "template" },     -- of a multiprocessor, which bounds the registers
  },
  start = { { WARPS = 4, BLOCK_N = 64, RING = 4, Q_REGISTERS = 1, BLOCKS = 2 }, { WARPS = 4, BLOCK_N = 32, RING = 4 } },
  valid = function(p, w, device)
    local registers = p.TILES * (w.D + p.BLOCK_N) // 2 + p.Q_REGISTERS * p.TILES * w.D // 4
    return all_of(
      p.WARPS * p.BLOCKS <= 16,
      -- accumulators and queries of a lane, beside about 70 registers for everything else
      le(registers + 70, min(255, 65536 // (32 * p.WARPS * p.BLOCKS))),
      le(p.BLOCKS * (shared_bytes(p, w) + 1024), 233472), le(shared_bytes(p, w), device.max_shared_bytes))
  end,
  steps = function(p, w, device)
    return { launch { entry = "attention_mma<$dtype,$D,$WARPS,$TILES,$BLOCK_N,$RING,$Q_REGISTERS,$BLOCKS,$cap>",
                      grid = { w.Hq, w.Tq // (16 * p.WARPS * p.TILES) + w.B }, block = { 32 * p.WARPS },
                      shared = shared_bytes(p, w),
                      args = { "q", "k", "v", "cu_q", "cu_k", "sinks", "o", "scale", "cap", i32(w.B), i32(w.Hq), i32(w.Hkv),
                               i32(w.window), i32(w.causal) } } }
  end,
}
