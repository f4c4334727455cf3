-- d = (a * a_scale) (b * b_scale)^T: a product of 8-bit floating numbers with scales for blocks, as models that were
-- trained in fp8 are served (DeepSeek-V3, arXiv:2412.19437, section 3.3). a is [M, K] and has a scale for each 128
-- columns of a row; b is [N, K], as weights are stored, and has one for each block of 128 by 128. Scales of a lie column
-- of blocks by column of blocks: those of neighbouring rows are neighbours. Products are exact, sums of fp32, rounded
-- once.

local workloads = {}
local function add(name, M, N, K, sets, device)
  workloads[#workloads + 1] = { name = name, M = M, N = N, K = K, sets = sets, devices = device and { device } or nil }
end

add("m64n64k256", 64, 64, 256, { "default" }, "cpu")
add("m70n136k384", 70, 136, 384, { "default" }, "cpu")
add("m1n8k128", 1, 8, 128, { "small" })
add("m129n264k128", 129, 264, 128, { "small" })
add("m33n40k640", 33, 40, 640, { "small" })

for _, S in ipairs { 2048, 4096, 8192 } do
  add("cube" .. S, S, S, S, S == 4096 and { "cubes", "default" } or { "cubes" }, "cuda")
end
-- The projections of DeepSeek-V3 (hidden size 7168, config.json): of the dense MLP, of the attention's output and of
-- one expert, and of Llama 3.1 405B (its fp8 checkpoint: hidden size 16384).
local projections = { { "v3_up", 36864, 7168 }, { "v3_down", 7168, 18432 }, { "v3_o", 7168, 16384 }, { "v3_expert", 4096, 7168 },
                      { "llama405b_o", 16384, 16384 } }
for _, p in ipairs(projections) do
  for _, M in ipairs { 64, 128, 4096 } do
    local sets = { "models", M <= 128 and "narrow" or "wide" }
    if p[1] == "v3_down" and M == 128 then sets[3] = "default" end
    add(p[1] .. "_m" .. M, M, p[2], p[3], sets, "cuda")
  end
end

local ALIGN = 256  -- what CUDA's allocators give

return kernel {
  contract = 1,
  name     = "gemm_fp8",
  summary  = "matrix product of e4m3 with block scales, fp32 accumulation, bf16 out",
  domain   = {
    M = range(1, 65536), N = multiples_of(8, 8, 131072), K = multiples_of(128, 128, 65536),
    where = function(w) return all_of(le(w.M * w.K, 2147483648), le(w.N * w.K, 2147483648), le(w.M * w.N, 1073741824)) end,
  },
  workloads = workloads,
  arguments = {
    input  { "a",       dtype = "e4m3", shape = { "M", "K" }, align = ALIGN, gen = normal {} },
    input  { "a_scale", dtype = "f32",  shape = { function(w) return w.K // 128 end, "M" }, align = ALIGN,
             gen = uniform { lo = 0.25, hi = 2 } },
    input  { "b",       dtype = "e4m3", shape = { "N", "K" }, align = ALIGN, gen = normal {} },
    input  { "b_scale", dtype = "f32",  shape = { function(w) return cdiv(w.N, 128) end, function(w) return w.K // 128 end },
             align = ALIGN, gen = uniform { lo = 0.25, hi = 2 } },
    output { "d",       dtype = "bf16", shape = { "M", "N" }, align = ALIGN, compare = relative {},
             accuracy = { sum = "K", accumulate = "f32" } },
  },
  reference = { source = "reference.cu", entry = "reference", sizes = { "M", "N", "K" },
                threads = function(w) return 128 * cdiv(w.M, 64) * cdiv(w.N, 64) end },
  work = function(w)
    local blocks = w.K // 128
    return { bytes = w.M * w.K + w.N * w.K + 4 * blocks * (w.M + cdiv(w.N, 128)) + 2 * w.M * w.N,
             flops = { e4m3 = 2 * w.M * w.N * w.K } }
  end,
}
