-- XLM-RoBERTa large.
-- Source: config.json of FacebookAI/xlm-roberta-large (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "xlm-roberta-large",
  source = "config.json of FacebookAI/xlm-roberta-large",
  note = "Its 514 positions hold 512 tokens.",
  phases = { "encoder" },
  dtype = "f16",
  context = 512, layers = 24, hidden = 1024, heads = 16,
  mlp = 4096, bias = true, vocabulary = 250002,
}
