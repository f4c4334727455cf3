-- Attention over sequences of different lengths that lie packed one behind the other, as servers hold a batch:
-- sequence b has the queries cu_q[b] to cu_q[b + 1] - 1 and the keys cu_k[b] to cu_k[b + 1] - 1. Nobody sees a key of
-- another sequence. With n queries and m keys, its query i stands at position p = i + m - n (bottom right) and sees key j iff
--   causal        j <= p                       window > 0    j > p - window, and where not causal j < p + window, too
-- so a window holds `window` keys with the query's own. With
--   s_j = scale <q, k_j>, or cap tanh(scale <q, k_j> / cap) where cap > 0 (a soft cap),
--   o = sum_j exp(s_j) v_j / (sum_j exp(s_j) + exp(sink))          over the visible keys j
-- A sink is one more logit of each query head in the sum below, without a value; without `sinks` there is none. A query
-- that sees no key gives 0. Query head h reads key and value head h / (Hq / Hkv) (GQA).
--
-- Lengths follow from B, Tq, Tk and `lengths`: their set is the same in every draw, so every draw is the same work. Which
-- sequence has which is drawn: `order` is a permutation, and sequence b has the lengths of rank order[b] (draw.cu). With
-- rank r of B, `lengths` says
--   0 alike: from two thirds to four thirds of the mean        1 skewed: as the squares of 1 ... B, up to three times the mean
--   2 mixed: three of four sequences have one query (a decoder's step), the others share the rest (prefill)
--   3 apart: the lengths of both sides have nothing to do with each other, and every third sequence has no query, no key
-- In 0 to 2 a sequence has at least as many keys as queries where Tk >= Tq: what it had before (a prefix, a cache).

local ALIKE, SKEWED, MIXED, APART = 0, 1, 2, 3

-- The sum of the first n of all weights, of `count` ranks.
local function weights(kind, count, n)
  if kind == SKEWED then return n * (n + 1) * (2 * n + 1) // 6 end
  return n * count + n * (n - 1) // 2
end

-- What rank r of `count` gets of `total`.
local function share(kind, total, count, r)
  local all = weights(kind, count, count)
  return total * weights(kind, count, r + 1) // all - total * weights(kind, count, r) // all
end

-- Of APART: ranks r % 3 == `without` get nothing, the others share by their place.
local function thirds(total, count, r, without)
  local function before(n) return n - (n + 2 - without) // 3 end  -- ranks below n that share
  local with = before(count)
  if with == 0 then return share(SKEWED, total, count, r) end     -- a single rank
  if r % 3 == without then return 0 end
  return share(SKEWED, total, with, before(r))
end

-- Queries and keys of rank r. As draw.cu computes them.
local function lengths_of(w, r)
  local B, Tq, Tk = w.B, w.Tq, w.Tk
  if w.lengths == APART then return thirds(Tq, B, r, 0), thirds(Tk, B, B - 1 - r, 1) end
  local kind = w.lengths == SKEWED and SKEWED or ALIKE
  local queries
  if w.lengths == MIXED then
    local steps = min(3 * B // 4, Tq)
    queries = r < steps and 1 or r < 3 * B // 4 and 0 or share(ALIKE, Tq - steps, B - 3 * B // 4, r - 3 * B // 4)
  else
    queries = share(kind, Tq, B, r)
  end
  if Tk < Tq then return queries, share(kind, Tk, B, r) end
  return queries, queries + share(kind, Tk - Tq, B, r)
end

-- Of one sequence: pairs that see each other, queries that see a key, keys that are seen.
local function visible(w, queries, keys)
  if queries == 0 or keys == 0 then return 0, 0, 0 end
  local far = queries + keys + 1
  local back = w.window > 0 and w.window or far            -- of each query: how many keys up to its own
  local ahead = w.causal and 1 or w.window > 0 and w.window or far
  -- Over all positions below n: the sum of the numbers of keys up to that position.
  local function up_to(n)
    if n <= 0 then return 0 end
    return n <= keys and n * (n + 1) // 2 or keys * (keys + 1) // 2 + (n - keys) * keys
  end
  local first = keys - queries                             -- the first query's position
  local pairs_seen = up_to(keys + ahead - 1) - up_to(first + ahead - 1) - up_to(keys - back) + up_to(first - back)
  return pairs_seen, min(queries, keys - 1 + ahead), keys - max(0, first - back + 1)
end

local function needs(w)
  local pairs_seen, queries_seeing, keys_seen = 0, 0, 0
  for r = 0, w.B - 1 do
    local p, q, k = visible(w, lengths_of(w, r))
    pairs_seen, queries_seeing, keys_seen = pairs_seen + p, queries_seeing + q, keys_seen + k
  end
  return pairs_seen, queries_seeing, keys_seen
end

-- A workload on its sizes, with the name that states them: prefill_b8t16384h32kv8d128_bf16_causal.
local workloads = {}
local function add(prefix, sizes, dtype, options)
  local w = { B = sizes.B, Tq = sizes.T, Tk = sizes.Tk or sizes.T, Hq = sizes.H, Hkv = sizes.Hkv or sizes.H, D = sizes.D,
              window = options.window or 0, cap = options.cap or 0, sinks = options.sinks or false,
              causal = options.causal ~= false, lengths = options.lengths or ALIKE, dtype = dtype,
              sets = options.sets or { "default" }, devices = options.devices }
  w.name = prefix .. "_b" .. w.B .. "t" .. w.Tq .. (w.Tk ~= w.Tq and "k" .. w.Tk or "") .. "h" .. w.Hq
    .. (w.Hkv ~= w.Hq and "kv" .. w.Hkv or "") .. "d" .. w.D .. "_" .. dtype .. (w.causal and "_causal" or "")
  workloads[#workloads + 1] = w
end

local GPU, CPU = { "cuda" }, { "cpu" }

-- What servers run: prompts of a batch; a step that prefills some sequences and decodes others; local attention of
-- Gemma 2 (9B), gpt-oss and Mistral 7B v0.1; an encoder with a window to both sides (ModernBERT base).
add("prefill", { B = 8, T = 16384, H = 32, Hkv = 8, D = 128 }, "bf16", { lengths = SKEWED, devices = GPU })
add("mixed", { B = 64, T = 4096, Tk = 131072, H = 32, Hkv = 8, D = 128 }, "bf16", { lengths = MIXED, devices = GPU })
add("gemma2", { B = 3, T = 16384, H = 16, Hkv = 8, D = 256 }, "bf16", { window = 4096, cap = 50, devices = GPU })
add("gptoss", { B = 8, T = 16384, H = 64, Hkv = 8, D = 64 }, "bf16", { window = 128, sinks = true, devices = GPU })
add("mistral", { B = 4, T = 32768, H = 32, Hkv = 8, D = 128 }, "bf16", { window = 4096, sets = { "large" }, devices = GPU })
add("prefill", { B = 32, T = 8192, H = 32, Hkv = 8, D = 128 }, "f16", { sets = { "large" }, devices = GPU })
add("encoder", { B = 64, T = 16384, H = 12, D = 64 }, "f16",
    { window = 64, causal = false, lengths = SKEWED, sets = { "large" }, devices = GPU })

-- Seconds of emulation: all at once; nothing of it, with lengths of 0 and of 1 on both sides.
add("quick", { B = 3, T = 90, Tk = 150, H = 4, Hkv = 2, D = 64 }, "bf16",
    { window = 40, cap = 2, sinks = true, lengths = SKEWED, devices = CPU })
add("quick", { B = 7, T = 45, Tk = 60, H = 2, D = 128 }, "f16", { causal = false, lengths = APART, devices = CPU })

-- Edges: more sequences than queries; one sequence; fewer keys than queries; a window to both sides; widths.
add("small", { B = 9, T = 5, Tk = 70, H = 3, Hkv = 1, D = 64 }, "f16", { lengths = MIXED, sinks = true, sets = { "small" } })
add("small", { B = 1, T = 1, H = 1, D = 96 }, "bf16", { sets = { "small" } })
add("small", { B = 4, T = 80, Tk = 50, H = 4, Hkv = 2, D = 96 }, "f16", { cap = 30, sets = { "small" } })
add("small", { B = 2, T = 140, H = 2, Hkv = 1, D = 192 }, "bf16", { window = 1, sinks = true, sets = { "small" } })
add("small", { B = 2, T = 70, Tk = 130, H = 2, D = 256 }, "f16", { window = 20, causal = false, cap = 2, sets = { "small" } })

local ALIGN = 256  -- what CUDA's allocators give

return kernel {
  contract = 1,
  name     = "attention_varlen",
  summary  = "attention over packed sequences of different lengths: windows, soft caps, sinks, GQA",
  domain   = {
    B = range(1, 4096), Tq = range(1, 131072), Tk = range(1, 131072), Hq = range(1, 128), Hkv = range(1, 128),
    D = one_of { 64, 96, 128, 192, 256 }, window = range(0, 131072), cap = one_of { 0, 2, 30, 50 }, sinks = boolean(),
    causal = boolean(), lengths = range(0, 3), dtype = one_of { "f16", "bf16" },
    -- Whole groups of query heads, and tensors of at most 2^20 rows.
    where = function(w)
      return all_of(divisible(w.Hq, w.Hkv), le(w.Tq * w.Hq, 1048576), le(w.Tk * w.Hkv, 1048576))
    end,
  },
  workloads = workloads,
  arguments = {
    input  { "q",     dtype = "$dtype", shape = { "Tq", "Hq",  "D" }, align = ALIGN, gen = normal {} },
    input  { "k",     dtype = "$dtype", shape = { "Tk", "Hkv", "D" }, align = ALIGN, gen = normal {} },
    input  { "v",     dtype = "$dtype", shape = { "Tk", "Hkv", "D" }, align = ALIGN, gen = normal {} },
    input  { "order", dtype = "s32", shape = { "B" }, gen = permutation { n = "B" } },  -- of the draw alone: no variant needs it
    input  { "cu_q",  dtype = "s32", shape = { function(w) return w.B + 1 end },
             gen = custom { source = "draw.cu", entry = "draw_queries", of = { "order" } } },
    input  { "cu_k",  dtype = "s32", shape = { function(w) return w.B + 1 end },
             gen = custom { source = "draw.cu", entry = "draw_keys", of = { "order" } } },
    input  { "sinks", dtype = "f32", shape = { "Hq" }, optional = true, present = "sinks", gen = normal {} },
    output { "o",     dtype = "$dtype", shape = { "Tq", "Hq",  "D" }, align = ALIGN, compare = relative {} },
    scalar { "scale", dtype = "f32", value = function(w) return w.D ^ -0.5 end },
    scalar { "cap",   dtype = "f32", value = function(w) return w.cap end },
  },
  reference = { source = "reference.cu", entry = "reference<$dtype>",
                sizes = { "B", "Tq", "Tk", "lengths", "Hq", "Hkv", "D", "window", "causal" },
                threads = function(w) return w.Tq * w.Hq end },
  -- 2 flops a multiply-add, two products, one exponential a visible pair: exactly what each draw needs. Queries that see
  -- nothing and keys that nobody sees need not be read. Where a sequence lies is read before its rows.
  work = function(w)
    local pairs_seen, queries, keys = needs(w)
    return { bytes = 2 * w.D * (w.Hq * (queries + w.Tq) + 2 * w.Hkv * keys) + 8 * (w.B + 1) + (w.sinks and 4 * w.Hq or 0),
             flops = { [w.dtype] = 4 * pairs_seen * w.Hq * w.D }, exps = pairs_seen * w.Hq, dependent = 1 }
  end,
}
