-- Qwen3 8B.
-- Source: config.json of Qwen/Qwen3-8B (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "qwen3-8b",
  source = "config.json of Qwen/Qwen3-8B",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 40960, layers = 36, hidden = 4096, heads = 32, kv_heads = 8,
  mlp = 12288, gated = true, vocabulary = 151936,
}
