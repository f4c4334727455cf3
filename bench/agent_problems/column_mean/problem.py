import torch

# The mean of each column, as a batch normalization takes it: rows are far apart in memory, columns are neighbours.


def reference(x):
    return x.mean(dim=0)


def inputs(rows=8192, columns=1024):
    return {"x": torch.randn(rows, columns)}
