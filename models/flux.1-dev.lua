-- FLUX.1 dev on 1,024 pixels: 64 x 64 places and 512 tokens of text.
-- Source: config.json of black-forest-labs/FLUX.1-dev (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "flux.1-dev",
  source = "config.json of black-forest-labs/FLUX.1-dev",
  note = "19 blocks for text and picture and 38 for both together; the second kind has its MLP beside attention.",
  phases = { "encoder" },
  dtype = "bf16",
  context = 4608, layers = 57, hidden = 3072, heads = 24,
  mlp = 12288, bias = true,
}
