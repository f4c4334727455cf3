-- BERT large.
-- Source: config.json of google-bert/bert-large-uncased (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "bert-large",
  source = "config.json of google-bert/bert-large-uncased",
  phases = { "encoder" },
  dtype = "f16",
  context = 512, layers = 24, hidden = 1024, heads = 16,
  mlp = 4096, bias = true, vocabulary = 30522,
}
