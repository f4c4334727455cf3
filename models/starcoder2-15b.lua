-- StarCoder2 15B.
-- Source: config.json of bigcode/starcoder2-15b (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "starcoder2-15b",
  source = "config.json of bigcode/starcoder2-15b",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 16384, layers = 40, hidden = 6144, heads = 48, kv_heads = 4,
  mlp = 24576, bias = true, vocabulary = 49152,
}
