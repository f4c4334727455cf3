-- Qwen3 30B A3B: 8 of 128 experts a token, each 768 wide.
-- Source: config.json of Qwen/Qwen3-30B-A3B (huggingface.co).
-- Not read again from a copy of it: context.
return model {
  name = "qwen3-30b-a3b",
  source = "config.json of Qwen/Qwen3-30B-A3B",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 40960, layers = 48, hidden = 2048, heads = 32, kv_heads = 4, head_dim = 128,
  mlp = 768, gated = true, vocabulary = 151936, experts = 128, experts_per_token = 8,
}
