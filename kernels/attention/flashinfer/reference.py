import torch

causal = globals().get("causal", False)
lse = globals().get("lse", False)


def run(q, k, v, scale):
    groups = q.shape[1] // k.shape[1]
    wide_k = k.to(torch.float64).repeat_interleave(groups, dim=1)
    wide_v = v.to(torch.float64).repeat_interleave(groups, dim=1)
    scores = torch.matmul(q.to(torch.float64), wide_k.transpose(-1, -2)) * scale
    if causal:
        queries, keys = scores.shape[-2:]
        seen = torch.ones(queries, keys, dtype=torch.bool, device=q.device).tril(keys - queries)
        scores = scores.masked_fill(~seen, float("-inf"))
    weights = torch.softmax(scores, dim=-1).nan_to_num(0.0)
    o = torch.matmul(weights, wide_v).to(q.dtype)
    return (o, torch.logsumexp(scores, dim=-1).to(torch.float32)) if lse else o
