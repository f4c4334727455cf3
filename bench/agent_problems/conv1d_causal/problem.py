import torch
import torch.nn as nn

# The short convolution of a state-space block: each channel by its own four taps, which see the past only, then SiLU.
batch = 4
channels = 1024
length = 2048
taps = 4


class Model(nn.Module):
    def __init__(self, channels, taps):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(channels, 1, taps))
        self.bias = nn.Parameter(torch.randn(channels))

    def forward(self, x):
        pad = self.weight.shape[-1] - 1
        y = torch.nn.functional.conv1d(x, self.weight, self.bias, padding=pad, groups=x.shape[1])
        return torch.nn.functional.silu(y[..., : x.shape[-1]])


def get_inputs():
    return [torch.randn(batch, channels, length)]


def get_init_inputs():
    return [channels, taps]
