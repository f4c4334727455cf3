-- Phi-2.
-- Source: config.json of microsoft/phi-2 (huggingface.co).
-- Not read again from a copy of it: context, heads.
return model {
  name = "phi-2",
  source = "config.json of microsoft/phi-2",
  phases = { "prefill", "chunk", "decode" },
  dtype = "f16",
  context = 2048, layers = 32, hidden = 2560, heads = 32,
  mlp = 10240, bias = true, vocabulary = 51200,
}
