-- ViT base on 224 pixels: 14 x 14 patches of 16 and a class.
-- Source: config.json of google/vit-base-patch16-224 (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "vit-base-224",
  source = "config.json of google/vit-base-patch16-224",
  phases = { "encoder" },
  dtype = "f16",
  context = 197, layers = 12, hidden = 768, heads = 12,
  mlp = 3072, bias = true,
}
