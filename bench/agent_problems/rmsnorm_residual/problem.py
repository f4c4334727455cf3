import torch
import torch.nn as nn

# A pre-norm block's entry: the residual is added, then rows are divided by their root mean square.
rows = 2048
hidden = 1024


class Model(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(hidden))
        self.eps = 1e-5

    def forward(self, x, residual):
        total = x + residual
        scale = torch.rsqrt(total.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        return total * scale * self.gain


def get_inputs():
    return [torch.randn(rows, hidden), torch.randn(rows, hidden)]


def get_init_inputs():
    return [hidden]
