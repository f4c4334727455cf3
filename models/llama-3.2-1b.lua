-- Llama 3.2 1B.
-- Source: config.json of meta-llama/Llama-3.2-1B (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "llama-3.2-1b",
  source = "config.json of meta-llama/Llama-3.2-1B",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 131072, layers = 16, hidden = 2048, heads = 32, kv_heads = 8,
  mlp = 8192, gated = true, vocabulary = 128256,
}
