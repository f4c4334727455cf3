-- Qwen2.5 7B.
-- Source: config.json of Qwen/Qwen2.5-7B (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "qwen2.5-7b",
  source = "config.json of Qwen/Qwen2.5-7B",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 131072, layers = 28, hidden = 3584, heads = 28, kv_heads = 4,
  mlp = 18944, gated = true, bias = true, vocabulary = 152064,
}
