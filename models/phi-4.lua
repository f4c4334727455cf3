-- Phi-4.
-- Source: config.json of microsoft/phi-4 (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "phi-4",
  source = "config.json of microsoft/phi-4",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 16384, layers = 40, hidden = 5120, heads = 40, kv_heads = 10,
  mlp = 17920, gated = true, vocabulary = 100352,
}
