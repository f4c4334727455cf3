import torch

# Rows of a table are picked by index and summed, a bag of them for each output.


def reference(table, picks):
    return table[picks.long()].sum(dim=1)


def inputs(bags=2048, picks_of_bag=32, rows=4096, columns=256):
    return {"table": torch.randn(rows, columns),
            "picks": torch.randint(0, rows, (bags, picks_of_bag), dtype=torch.int32)}
