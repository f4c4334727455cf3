-- Llama 2 7B.
-- Source: config.json of meta-llama/Llama-2-7b-hf (huggingface.co).
-- Not read again from a copy of it: context, vocabulary.
return model {
  name = "llama-2-7b",
  source = "config.json of meta-llama/Llama-2-7b-hf",
  phases = { "prefill", "chunk", "decode" },
  dtype = "f16",
  context = 4096, layers = 32, hidden = 4096, heads = 32,
  mlp = 11008, gated = true, vocabulary = 32000,
}
