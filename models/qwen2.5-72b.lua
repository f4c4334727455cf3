-- Qwen2.5 72B.
-- Source: config.json of Qwen/Qwen2.5-72B (huggingface.co).
-- Not read again from a copy of it: context, vocabulary.
return model {
  name = "qwen2.5-72b",
  source = "config.json of Qwen/Qwen2.5-72B",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 131072, layers = 80, hidden = 8192, heads = 64, kv_heads = 8,
  mlp = 29568, gated = true, bias = true, vocabulary = 152064,
}
