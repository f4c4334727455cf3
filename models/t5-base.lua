-- T5 base: its decoder asks the encoder's tokens, one at a time.
-- Source: config.json of google-t5/t5-base (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "t5-base",
  source = "config.json of google-t5/t5-base",
  phases = { "encoder", "cross" },
  dtype = "bf16",
  context = 512, layers = 12, hidden = 768, heads = 12, head_dim = 64,
  mlp = 3072, vocabulary = 32128,
  cross_queries = 1, cross_keys = 512,
}
