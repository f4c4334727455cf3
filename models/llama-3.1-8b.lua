-- Llama 3.1 8B.
-- Source: config.json of meta-llama/Llama-3.1-8B (huggingface.co).
-- All numbers were read again from a copy of it.
return model {
  name = "llama-3.1-8b",
  source = "config.json of meta-llama/Llama-3.1-8B",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 131072, layers = 32, hidden = 4096, heads = 32, kv_heads = 8,
  mlp = 14336, gated = true, vocabulary = 128256,
}
