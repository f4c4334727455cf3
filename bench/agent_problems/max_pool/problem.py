import torch
import torch.nn as nn

# Pooling of images: 3 x 3 windows, two apart, with a border of one.
batch = 16
channels = 64
height = 112
width = 112


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    return [torch.randn(batch, channels, height, width)]


def get_init_inputs():
    return []
