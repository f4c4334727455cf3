-- BERT base.
-- Source: config.json of google-bert/bert-base-uncased (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "bert-base",
  source = "config.json of google-bert/bert-base-uncased",
  phases = { "encoder" },
  dtype = "f16",
  context = 512, layers = 12, hidden = 768, heads = 12,
  mlp = 3072, bias = true, vocabulary = 30522,
}
