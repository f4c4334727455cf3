-- Bytes of a stage of the first product, which has two parts of weights: 64 of K deep.
local function stage_bytes(p) return 128 * (2 * 64 * p.WARPGROUPS + p.TOKENS) end
local function of_token(w) return w.K + (w.shared and 1 or 0) end
local function experts(w) return w.E + (w.shared and 1 or 0) end

return variant {
  technique = "streamed-weights", risk = "high", multi_kernel = true,
  -- The weights of the experts that were hit at the memory's rate, and five launches; 00_naive reads them for each token.
  estimate  = function(w)
    local of_expert = w.T * w.K / w.E
    return { speedup = w.T <= 2 and { 0.8, 3 } or of_expert <= 64 and { 3, 60 } or { 10, 100 }, probability = 0.7, evaluations = 20 }
  end,
  requires  = { arch = ">=90a" },
  params = {
    WARPGROUPS = { values = { 1, 2, 4 }, bind = "template" },            -- times 64 columns
    TOKENS     = { values = { 8, 16, 32, 64, 128 }, bind = "template" },  -- of an expert, in a tile
    STAGES     = { values = { 2, 3, 4, 6, 8, 12 }, bind = "template" },  -- in half of the shared memory: two blocks
  },
  start = function(w)
    local of_expert, tokens = w.T * w.K / w.E, 8
    while tokens < 128 and tokens < 1.5 * of_expert do tokens = 2 * tokens end
    return { { WARPGROUPS = 2, TOKENS = tokens, STAGES = tokens >= 64 and 4 or 6 },
             { WARPGROUPS = 1, TOKENS = tokens, STAGES = 4 }, { WARPGROUPS = 1, TOKENS = 8, STAGES = 4 } }
  end,
  valid = function(p, w, device)
    return all_of(le(p.STAGES * stage_bytes(p) + 9216, device.max_shared_bytes), le(experts(w) * w.T * max(w.H, w.I), 268435456))
  end,
  workspaces = function(p, w, device)
    local rows, room = w.T * of_token(w), w.routed and experts(w) * w.T or w.T
    return {
      workspace { "counts", bytes = 4 * experts(w), align = 256 },
      workspace { "lists", bytes = 4 * room, align = 256 },
      workspace { "weights", bytes = 4 * rows, align = 256 },
      workspace { "rows", bytes = w.routed and 2 * room * w.H or 2, align = 256 },
      workspace { "inner", bytes = 2 * room * w.I, align = 256 },
      workspace { "outer", bytes = w.routed and 2 * rows * w.H or 2, align = 256 },
    }
  end,
  steps = function(p, w, device)
    local rows, block = w.T * of_token(w), 64 * p.WARPGROUPS
    local tiles = rows // p.TOKENS + min(experts(w), rows)  -- at most: each expert may have a part of one
    local counts = w.routed and "counts" or "offsets"
    local function row_map(name, depth)
      return tensor_map { name, box = { 1, p.TOKENS, 64 }, swizzle = "128b", promotion = "256b", dtype = "bf16",
                          shape = { w.routed and experts(w) or 1, w.T, depth } }
    end
    local function weight_map(name)
      return tensor_map { name, box = { 1, block, 64 }, swizzle = "128b", promotion = "256b" }
    end
    local function product(inner, from, columns, depth, weights, to, pdl)
      return launch { entry = "streamed_product<$routed," .. tostring(inner) .. ",$WARPGROUPS,$TOKENS,$STAGES>",
                      grid = { cdiv(columns, block) * tiles }, resident = 1, pdl = pdl, block = { 128 * p.WARPGROUPS + 32 },
                      shared = p.STAGES * 128 * ((inner and 2 or 1) * block + p.TOKENS),
                      args = { row_map(from, depth), weight_map(weights), counts, "lists", "down", to, i32(columns), i32(depth),
                               i32(experts(w)), i32(w.T) } }
    end
    if not w.routed then
      return { product(true, "x", w.I, w.H, "gate_up", "inner", false), product(false, "inner", w.H, w.I, "down", "y", true) }
    end
    return {
      memset { "counts", value = 0 },
      launch { entry = "choose", grid = { cdiv(w.T, 4) }, block = { 128 },
               args = { "logits", "x", "counts", "lists", "weights", "rows", i32(w.T), i32(w.H), i32(w.E), i32(w.K), i32(of_token(w)) } },
      product(true, "rows", w.I, w.H, "gate_up", "inner", true),
      product(false, "inner", w.H, w.I, "down", "outer", true),
      launch { entry = "weighted_sum", grid = { cdiv(w.T * w.H, 8 * 256) }, block = { 256 }, pdl = true,
               args = { "outer", "weights", "y", i32(w.T), i32(w.H), i32(of_token(w)) } },
    }
  end,
}
