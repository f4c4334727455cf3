import torch

# The running sum along each row.


def reference(x):
    return torch.cumsum(x, dim=1)


def inputs(rows=1024, columns=4096):
    return {"x": torch.randn(rows, columns)}
