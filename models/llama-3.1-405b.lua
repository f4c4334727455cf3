-- Llama 3.1 405B.
-- Source: config.json of meta-llama/Llama-3.1-405B (huggingface.co).
-- Not read again from a copy of it: context, layers.
return model {
  name = "llama-3.1-405b",
  source = "config.json of meta-llama/Llama-3.1-405B",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 131072, layers = 126, hidden = 16384, heads = 128, kv_heads = 8,
  mlp = 53248, gated = true, vocabulary = 128256,
}
