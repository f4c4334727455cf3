-- DINOv2 giant on 224 pixels: 16 x 16 patches of 14 and a class.
-- Source: config.json of facebook/dinov2-giant (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "dinov2-giant",
  source = "config.json of facebook/dinov2-giant",
  phases = { "encoder" },
  dtype = "f16",
  context = 257, layers = 40, hidden = 1536, heads = 24,
  mlp = 4096, gated = true, bias = true,
}
