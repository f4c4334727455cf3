"""Layer norm over the last dimension, with its weight and bias."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x):
        return self.norm(x)


batch = 64
length = 256
width = 1024


def get_inputs():
    return [torch.randn(batch, length, width)]


def get_init_inputs():
    return [width]
