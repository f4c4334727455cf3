-- Yi 34B.
-- Source: config.json of 01-ai/Yi-34B (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "yi-34b",
  source = "config.json of 01-ai/Yi-34B",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 4096, layers = 60, hidden = 7168, heads = 56, kv_heads = 8,
  mlp = 20480, gated = true, vocabulary = 64000,
}
