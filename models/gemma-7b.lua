-- Gemma 7B.
-- Source: config.json of google/gemma-7b (huggingface.co).
-- All numbers were read again from a copy of it.
return model {
  name = "gemma-7b",
  source = "config.json of google/gemma-7b",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 8192, layers = 28, hidden = 3072, heads = 16, head_dim = 256,
  mlp = 24576, gated = true, vocabulary = 256000,
}
