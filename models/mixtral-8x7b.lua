-- Mixtral 8x7B: two of eight experts a token.
-- Source: config.json of mistralai/Mixtral-8x7B-v0.1 (huggingface.co).
-- Not read again from a copy of it: context, layers, vocabulary, experts_per_token.
return model {
  name = "mixtral-8x7b",
  source = "config.json of mistralai/Mixtral-8x7B-v0.1",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 32768, layers = 32, hidden = 4096, heads = 32, kv_heads = 8,
  mlp = 14336, gated = true, vocabulary = 32000, experts = 8, experts_per_token = 2,
}
