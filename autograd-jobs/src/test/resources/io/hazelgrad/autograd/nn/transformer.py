"""Makes transformer.json: cases in the form of modules.json, of layers of transformers.

    OMP_NUM_THREADS=1 python3 transformer.py | gzip -9n > transformer.json.gz

A case is named by its options. Made with torch 1.13.
"""

import itertools

import torch
from torch import nn

from modules import case, write, x


def run(causal):
    def outputs(module, x):
        steps = x.shape[1 if module.self_attn.batch_first else 0]
        never = torch.ones(steps, steps).triu(1).bool()
        return [module(x, src_mask=never if causal else None)]

    return outputs


def layer(first, activation, causal):
    # All pairs of the other options and the order of the dimensions are there.
    batch_first = (first == (activation == "gelu")) == causal
    name = ["norm first" if first else "norm last", activation]
    name += ["causal"] * causal + ["batch first"] * batch_first
    return case(
        ", ".join(name),
        nn.TransformerEncoderLayer(
            4, 2, 3, 0.0, activation, layer_norm_eps=1e-3, batch_first=batch_first, norm_first=first
        ),
        x(2, 3, 4),
        run(causal),
    )


write([layer(*options) for options in itertools.product((True, False), ("gelu", "relu"), (True, False))])
