-- GPT-NeoX 20B.
-- Source: config.json of EleutherAI/gpt-neox-20b (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "gpt-neox-20b",
  source = "config.json of EleutherAI/gpt-neox-20b",
  phases = { "prefill", "chunk", "decode" },
  dtype = "f16",
  context = 2048, layers = 44, hidden = 6144, heads = 64,
  mlp = 24576, bias = true, vocabulary = 50432,
}
