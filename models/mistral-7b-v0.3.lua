-- Mistral 7B v0.3.
-- Source: config.json of mistralai/Mistral-7B-v0.3 (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "mistral-7b-v0.3",
  source = "config.json of mistralai/Mistral-7B-v0.3",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 32768, layers = 32, hidden = 4096, heads = 32, kv_heads = 8,
  mlp = 14336, gated = true, vocabulary = 32768,
}
