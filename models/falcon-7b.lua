-- Falcon 7B: 71 heads on one of keys and values.
-- Source: config.json of tiiuae/falcon-7b (huggingface.co).
-- Not read again from a copy of it: context, kv_heads, mlp.
return model {
  name = "falcon-7b",
  source = "config.json of tiiuae/falcon-7b",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 2048, layers = 32, hidden = 4544, heads = 71, kv_heads = 1,
  mlp = 18176, vocabulary = 65024,
}
