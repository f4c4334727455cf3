-- Llama 3.1 70B.
-- Source: config.json of meta-llama/Llama-3.1-70B (huggingface.co).
-- Not read again from a copy of it: context, layers.
return model {
  name = "llama-3.1-70b",
  source = "config.json of meta-llama/Llama-3.1-70B",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 131072, layers = 80, hidden = 8192, heads = 64, kv_heads = 8,
  mlp = 28672, gated = true, vocabulary = 128256,
}
