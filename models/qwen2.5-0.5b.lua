-- Qwen2.5 0.5B.
-- Source: config.json of Qwen/Qwen2.5-0.5B (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "qwen2.5-0.5b",
  source = "config.json of Qwen/Qwen2.5-0.5B",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 32768, layers = 24, hidden = 896, heads = 14, kv_heads = 2,
  mlp = 4864, gated = true, bias = true, vocabulary = 151936,
}
