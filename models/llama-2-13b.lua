-- Llama 2 13B.
-- Source: config.json of meta-llama/Llama-2-13b-hf (huggingface.co).
-- Not read again from a copy of it: context, vocabulary.
return model {
  name = "llama-2-13b",
  source = "config.json of meta-llama/Llama-2-13b-hf",
  phases = { "prefill", "chunk", "decode" },
  dtype = "f16",
  context = 4096, layers = 40, hidden = 5120, heads = 40,
  mlp = 13824, gated = true, vocabulary = 32000,
}
