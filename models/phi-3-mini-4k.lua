-- Phi-3 mini 4K.
-- Source: config.json of microsoft/Phi-3-mini-4k-instruct (huggingface.co).
-- Not read again from a copy of it: context.
return model {
  name = "phi-3-mini-4k",
  source = "config.json of microsoft/Phi-3-mini-4k-instruct",
  phases = { "prefill", "chunk", "decode" },
  dtype = "bf16",
  context = 4096, layers = 32, hidden = 3072, heads = 32,
  mlp = 8192, gated = true, vocabulary = 32064,
}
