-- Gemma 2B.
-- Source: config.json of google/gemma-2b (huggingface.co).
-- All numbers were read again from a copy of it.
return model {
  name = "gemma-2b",
  source = "config.json of google/gemma-2b",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 8192, layers = 18, hidden = 2048, heads = 8, kv_heads = 1, head_dim = 256,
  mlp = 16384, gated = true, vocabulary = 256000,
}
