-- CLIP's ViT large on 336 pixels: 24 x 24 patches of 14 and a class.
-- Source: config.json of openai/clip-vit-large-patch14-336 (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "clip-vit-large-336",
  source = "config.json of openai/clip-vit-large-patch14-336",
  phases = { "encoder" },
  dtype = "f16",
  context = 577, layers = 24, hidden = 1024, heads = 16,
  mlp = 4096, bias = true,
}
