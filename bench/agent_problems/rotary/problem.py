import torch

# Rotary position embedding: the two halves of each head are turned by an angle of its position.


def reference(x, cos, sin):
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    turned = torch.cat((-second, first), dim=-1)
    return x * cos[:, None, :] + turned * sin[:, None, :]


def inputs(tokens=2048, heads=16, size=128):
    return {"x": torch.randn(tokens, heads, size), "cos": torch.randn(tokens, size), "sin": torch.randn(tokens, size)}
