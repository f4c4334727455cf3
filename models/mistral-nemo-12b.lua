-- Mistral Nemo 12B.
-- Source: config.json of mistralai/Mistral-Nemo-Base-2407 (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "mistral-nemo-12b",
  source = "config.json of mistralai/Mistral-Nemo-Base-2407",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 131072, layers = 40, hidden = 5120, heads = 32, kv_heads = 8, head_dim = 128,
  mlp = 14336, gated = true, vocabulary = 131072,
}
