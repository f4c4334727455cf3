-- Llama 3.2 3B.
-- Source: config.json of meta-llama/Llama-3.2-3B (huggingface.co).
-- All numbers were read again from a copy of it.
return model {
  name = "llama-3.2-3b",
  source = "config.json of meta-llama/Llama-3.2-3B",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 131072, layers = 28, hidden = 3072, heads = 24, kv_heads = 8,
  mlp = 8192, gated = true, vocabulary = 128256,
}
