-- Whisper base: 30 seconds of sound are 1,500 tokens.
-- Source: config.json of openai/whisper-base (huggingface.co).
-- Not read again from a copy of it: mlp, cross_queries.
return model {
  name = "whisper-base",
  source = "config.json of openai/whisper-base",
  phases = { "encoder", "cross" },
  dtype = "f16",
  context = 1500, layers = 6, hidden = 512, heads = 8,
  mlp = 2048, bias = true, vocabulary = 51865,
  cross_queries = 1, cross_keys = 1500,
}
