-- A mixture of experts: each token goes through the MLPs of the K experts that its logits choose, and gets their
-- weighted sum. With f = SwiGLU of expert e, gate_up[e] = [gate; up] of I rows each and down[e] of H rows:
--   inner = silu(x gate^T) * (x up^T)      f_e(x) = inner down^T       y = sum over the chosen e of p_e f_e(x)
-- Chosen are the K largest logits of a token; of equal ones the expert with the lower number comes first. p is the
-- softmax of all logits, renormalised over the chosen: the softmax of the chosen ones alone. With `shared` there is one
-- expert more, behind the others in gate_up and down, through which every token goes with the weight 1.
-- Products are exact, sums at least fp32. A variant may round `inner` and f_e(x) to bf16, as tensor cores want them.
--
-- With `routed` false this is the two grouped products alone: the tokens come sorted by expert, offsets[e] to
-- offsets[e + 1] are those of expert e, and y = f_e(x) of each. K is 1 then.
--
-- `routing` says how logits, or offsets, are drawn (draw.cu): 0 independently, so all experts are about as popular;
-- 1 some are much more popular; 2 all tokens choose the same; 3 logits are multiples of 1/2, so many are equal; 4 every
-- other expert gets nothing.

local workloads = {}
local function add(name, T, m, options)
  local w = { name = name, T = T, H = m.H, I = m.I, E = m.E, K = m.K, shared = m.shared or false, routed = true, routing = 0 }
  for field, value in pairs(options) do w[field] = value end
  workloads[#workloads + 1] = w
end

-- Of eight models: hidden size, an expert's width, experts, chosen of them. Source: config.json of each (docs/fused_moe.md).
local models = {
  { "mixtral_8x7b",   H = 4096, I = 14336, E = 8,   K = 2 },
  { "mixtral_8x22b",  H = 6144, I = 16384, E = 8,   K = 2 },
  { "phi3_5_moe",     H = 4096, I = 6400,  E = 16,  K = 2 },
  { "olmoe",          H = 2048, I = 1024,  E = 64,  K = 8 },
  { "qwen3_30b",      H = 2048, I = 768,   E = 128, K = 8 },
  { "qwen3_235b",     H = 4096, I = 1536,  E = 128, K = 8 },
  { "deepseek_v3_8",  H = 7168, I = 256,   E = 256, K = 8, shared = true },  -- one of eight devices, which share each expert's width
  { "deepseek_v3",    H = 7168, I = 2048,  E = 256, K = 8, shared = true },  -- 23 GB of weights
}
local named = {}
for _, m in ipairs(models) do named[m[1]] = m end

-- What a CPU tries by default, and edges: one token, sizes off every tile, each way of routing.
add("t5h64i48e4k2", 5, { H = 64, I = 48, E = 4, K = 2 }, { sets = { "default" }, devices = { "cpu" } })
add("t40h72i40e8k3_shared", 40, { H = 72, I = 40, E = 8, K = 3, shared = true }, { sets = { "default" }, devices = { "cpu" }, routing = 1 })
add("t1h128i64e16k4", 1, { H = 128, I = 64, E = 16, K = 4 }, { sets = { "small" } })
add("t150h64i72e4k1_same", 150, { H = 64, I = 72, E = 4, K = 1 }, { sets = { "small" }, routing = 2 })
add("t33h96i64e40k8_ties", 33, { H = 96, I = 64, E = 40, K = 8, shared = true }, { sets = { "small" }, routing = 3 })
add("t17h64i64e8k4_empty", 17, { H = 64, I = 64, E = 8, K = 4 }, { sets = { "small" }, routing = 4 })
add("t20h400i328e4k2", 20, { H = 400, I = 328, E = 4, K = 2 }, { sets = { "small" } })
add("t90h80i72e6_products", 90, { H = 80, I = 72, E = 6, K = 1 }, { sets = { "small" }, routed = false, routing = 1 })

local DEFAULT = { olmoe_t1 = true, qwen3_30b_t16 = true, mixtral_8x7b_t1024 = true, qwen3_30b_t8192 = true }
for _, m in ipairs(models) do
  for _, T in ipairs { 1, 16, 128, 1024, 8192 } do
    local name = m[1] .. "_t" .. T
    add(name, T, m, { sets = { m[1], T <= 128 and "few" or "many", DEFAULT[name] and "default" or nil }, devices = { "cuda" } })
  end
end
for _, name in ipairs { "mixtral_8x7b", "olmoe", "qwen3_30b" } do
  for _, T in ipairs { 128, 8192 } do
    add(name .. "_t" .. T .. "_skewed", T, named[name], { sets = { "skewed" }, devices = { "cuda" }, routing = 1 })
    add(name .. "_t" .. T .. "_products", T * named[name].K, named[name], { sets = { "products" }, devices = { "cuda" }, K = 1, routed = false })
  end
end

local function experts(w) return w.E + (w.shared and 1 or 0) end
local function rows(w) return w.T * (w.K + (w.shared and 1 or 0)) end

-- Blocks of the reference: a thread an element where there are few, else tiles of 32 rows of an expert by 64 columns, as
-- many as there can be.
local function blocks_of(w, columns)
  if rows(w) * w.H * w.I <= 2 ^ 26 then return cdiv(rows(w) * columns, 128) end
  return (rows(w) // 32 + min(experts(w), rows(w))) * cdiv(columns, 64)
end

-- Experts whose weights are read: those that a single token chooses, and where tokens choose independently as many as six
-- standard deviations below the mean, which no draw is seen to miss. (Experts are hit no more independently than that:
-- who is hit leaves fewer tokens for others.)
local function hit(w)
  local least = w.K + (w.shared and 1 or 0)
  if w.routing ~= 0 then return least end
  local missed = (1 - w.K / w.E) ^ w.T
  local likely = w.E * (1 - missed) - 6 * (w.E * missed * (1 - missed)) ^ 0.5
  return max(least, math.floor(likely) + (w.shared and 1 or 0))
end

local MOST = 8589934592  -- elements of all experts' weights of one kind
local ALIGN = 256        -- what CUDA's allocators give

return kernel {
  contract = 1,
  name     = "fused_moe",
  summary  = "mixture of experts: top-k routing, SwiGLU MLPs as grouped products, weighted sum; bf16, fp32 accumulation",
  domain   = {
    T = range(1, 65536), H = multiples_of(8, 8, 16384), I = multiples_of(8, 8, 32768), E = range(2, 512), K = range(1, 16),
    shared = boolean(), routed = boolean(), routing = range(0, 4),
    where = function(w)
      return all_of(w.routed or eq(w.K, 1), w.routed or not w.shared, le(w.K, w.E), le(2 * experts(w) * w.I * w.H, MOST),
                    le(rows(w) * max(w.I, w.H), 1610612736))
    end,
  },
  workloads = workloads,
  arguments = {
    input  { "x",       dtype = "bf16", shape = { "T", "H" }, align = ALIGN, gen = normal {} },
    input  { "logits",  dtype = "f32",  shape = { "T", "E" }, align = ALIGN, optional = true, present = "routed",
             gen = custom { source = "draw.cu", entry = "draw_logits" } },
    input  { "offsets", dtype = "s32",  shape = { function(w) return w.E + 1 end }, align = ALIGN, optional = true,
             present = function(w) return not w.routed end, gen = custom { source = "draw.cu", entry = "draw_offsets" } },
    -- So scaled that sums are about 1, where SiLU bends.
    input  { "gate_up", dtype = "bf16", shape = { experts, function(w) return 2 * w.I end, "H" }, align = ALIGN,
             gen = normal { std = function(w) return w.H ^ -0.5 end } },
    input  { "down",    dtype = "bf16", shape = { experts, "H", "I" }, align = ALIGN,
             gen = normal { std = function(w) return w.I ^ -0.5 end } },
    output { "y",       dtype = "bf16", shape = { "T", "H" }, align = ALIGN, compare = relative {} },
  },
  -- A layer's experts on the tokens of a pass.
  models = function(m, q)
    local tokens = q.batch * (q.phase == "decode" and 1 or q.phase == "chunk" and min(512, q.context) or q.context)
    if m.experts == 0 or not m.gated or m.dtype ~= "bf16" or tokens > 65536 then return {} end
    return { { part = "experts", T = tokens, H = m.hidden, I = m.mlp, E = m.experts, K = m.experts_per_token, shared = false,
               routed = true, routing = 0, weight = m.layers } }
  end,
  reference = {
    source = "reference.cu", entry = "choose", sizes = { "T", "H", "I", "E", "K", "shared", "routed", "routing" },
    grid = function(w) return { cdiv(w.T, 128) } end, block = { 128 },
    steps = {
      { entry = "order", grid = function(w) return { cdiv(experts(w) + 1, 128) } end, block = { 128 } },
      { entry = "inner_products", grid = function(w) return { blocks_of(w, w.I) } end, block = { 128 } },
      { entry = "outer_products", grid = function(w) return { blocks_of(w, w.H) } end, block = { 128 } },
      { entry = "add_up", grid = function(w) return { cdiv(w.T * w.H, 128) } end, block = { 128 } },
    },
    scratch = {
      { "chosen", bytes = function(w) return 4 * rows(w) end },
      { "weight", bytes = function(w) return 8 * rows(w) end },
      { "pairs", bytes = function(w) return 4 * rows(w) end },
      { "begin", bytes = function(w) return 4 * (experts(w) + 1) end },
      { "inner", bytes = function(w) return 8 * rows(w) * w.I end },
      { "outer", bytes = function(w) return 8 * rows(w) * w.H end },
    },
  },
  -- Three products for each of a token's experts. Of the weights only those of experts that a token chose are read: the
  -- least that the drawn logits can choose.
  work = function(w)
    local weights = hit(w) * 3 * w.H * w.I
    return { bytes = 2 * (weights + 2 * w.T * w.H) + (w.routed and 4 * w.T * w.E or 0),
             flops = { bf16 = 6 * rows(w) * w.H * w.I }, dependent = 2 }
  end,
}
