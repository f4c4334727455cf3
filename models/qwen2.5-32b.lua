-- Qwen2.5 32B.
-- Source: config.json of Qwen/Qwen2.5-32B (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "qwen2.5-32b",
  source = "config.json of Qwen/Qwen2.5-32B",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 131072, layers = 64, hidden = 5120, heads = 40, kv_heads = 8,
  mlp = 27648, gated = true, bias = true, vocabulary = 152064,
}
