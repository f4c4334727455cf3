-- Whisper large v3: 30 seconds of sound are 1,500 tokens.
-- Source: config.json of openai/whisper-large-v3 (huggingface.co).
-- Not read again from a copy of it: mlp, vocabulary, cross_queries.
return model {
  name = "whisper-large-v3",
  source = "config.json of openai/whisper-large-v3",
  phases = { "encoder", "cross" },
  dtype = "f16",
  context = 1500, layers = 32, hidden = 1280, heads = 20,
  mlp = 5120, bias = true, vocabulary = 51866,
  cross_queries = 1, cross_keys = 1500,
}
