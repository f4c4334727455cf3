-- SigLIP SO400M on 384 pixels: 27 x 27 patches of 14.
-- Source: config.json of google/siglip-so400m-patch14-384 (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "siglip-so400m-384",
  source = "config.json of google/siglip-so400m-patch14-384",
  phases = { "encoder" },
  dtype = "bf16",
  context = 729, layers = 27, hidden = 1152, heads = 16,
  mlp = 4304, bias = true,
}
