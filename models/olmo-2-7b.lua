-- OLMo 2 7B.
-- Source: config.json of allenai/OLMo-2-1124-7B (huggingface.co).
-- Not read again from a copy of it: mlp, vocabulary.
return model {
  name = "olmo-2-7b",
  source = "config.json of allenai/OLMo-2-1124-7B",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 4096, layers = 32, hidden = 4096, heads = 32,
  mlp = 11008, gated = true, vocabulary = 100352,
}
