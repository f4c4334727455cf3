-- GPT-2.
-- Source: config.json of openai-community/gpt2 (huggingface.co).
-- All numbers were read again from a copy of it.
return model {
  name = "gpt2",
  source = "config.json of openai-community/gpt2",
  phases = { "prefill", "chunk", "decode" },
  dtype = "f16",
  context = 1024, layers = 12, hidden = 768, heads = 12,
  mlp = 3072, bias = true, vocabulary = 50257,
}
