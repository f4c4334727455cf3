-- SDXL, its blocks of width 1,280 on 1,024 pixels: 32 x 32 places, 77 tokens of text 2,048 wide.
-- Source: config.json of stabilityai/stable-diffusion-xl-base-1.0 (huggingface.co).
-- No number was read again from a copy of it; that they fit each other was checked.
return model {
  name = "sdxl-middle",
  source = "config.json of stabilityai/stable-diffusion-xl-base-1.0",
  note = "The layers are those of the whole network that have this width: 20 down, 10 in the middle, 30 up.",
  phases = { "encoder", "cross" },
  dtype = "f16",
  context = 1024, layers = 60, hidden = 1280, heads = 20,
  mlp = 5120, gated = true,
  cross_queries = 1024, cross_keys = 77, cross_hidden = 2048,
}
