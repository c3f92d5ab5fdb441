"""Makes modules.json: what torch's modules compute, for GoldenModulesTest.

    python3 modules.py > modules.json

Each case has the state that the module begins with, in torch's order, and steps. A step has the
mode, the inputs, the outputs, and of sum(output * weight) over all outputs the gradients of the
inputs and of the parameters. "after" is the state after all steps. Made with torch 1.13.
"""

import json
import sys

import torch
from torch import nn

torch.manual_seed(11)
torch.set_default_dtype(torch.float64)


def tensor(t):
    kind = {torch.int64: "INT64", torch.bool: "BOOL"}.get(t.dtype, "FLOAT64")
    data = [float("%.17g" % x) for x in t.detach().double().reshape(-1).tolist()]
    return {"dtype": kind, "shape": list(t.shape), "data": data}


def named(values):
    return {name: tensor(value) for name, value in values.items()}


def step(module, train, inputs, run):
    """Runs a module once; inputs is a dict, run gives the list of outputs."""
    module.train(train)
    module.zero_grad()
    leaves = {
        name: x.clone().requires_grad_() if x.is_floating_point() else x
        for name, x in inputs.items()
    }
    outputs = run(module, *leaves.values())
    weights = [torch.randn_like(y) for y in outputs]
    sum((y * w).sum() for y, w in zip(outputs, weights)).backward()
    return {
        "train": train,
        "inputs": named(inputs),
        "outputs": [tensor(y) for y in outputs],
        "weights": [tensor(w) for w in weights],
        "input_grads": named({n: x.grad for n, x in leaves.items() if x.grad is not None}),
        "grads": named({n: p.grad for n, p in module.named_parameters()}),
    }


def one(module, x):
    return [module(x)]


def case(name, module, inputs, run=one, modes=(True,)):
    """Inputs are made anew for each step by a function."""
    for parameter in module.parameters():  # Zeros and ones would hide mistakes.
        with torch.no_grad():
            parameter.add_(0.1 * torch.randn_like(parameter))
    begin = named(module.state_dict())
    steps = [step(module, train, inputs(), run) for train in modes]
    return {"name": name, "state": begin, "steps": steps, "after": named(module.state_dict())}


def x(*shape):
    return lambda: {"x": torch.randn(*shape)}


def index(high, *shape):
    return lambda: {"x": torch.randint(high, shape)}


def sequence(*shapes):
    return lambda: {"x%d" % i: torch.randn(*shape) for i, shape in enumerate(shapes)}


def lstm_states(module, x, h, c):
    y, (hn, cn) = module(x, (h, c))
    return [y, hn, cn]


def first(module, x):
    return [module(x)[0]]


def attend(module, q, k, v):
    return [module(q, k, v)[0]]


def causal(module, x):
    never = torch.ones(x.shape[1], x.shape[1]).triu(1).bool()
    return [module(x, x, x, attn_mask=never)[0]]


def looking(module, x, may):
    return [module(x, x, x, attn_mask=~may)[0]]


BOTH = (True, True, False, True)
CASES = [
    case("linear", nn.Linear(4, 3), x(5, 4)),
    case("linear without bias", nn.Linear(4, 3, bias=False), x(2, 5, 4)),
    case("conv1d", nn.Conv1d(2, 3, 3), x(2, 2, 7)),
    case(
        "conv1d with options",
        nn.Conv1d(4, 6, 3, stride=2, padding=2, dilation=2, groups=2, bias=False),
        x(2, 4, 9),
    ),
    case("conv2d", nn.Conv2d(2, 3, 3), x(2, 2, 5, 6)),
    case(
        "conv2d with options",
        nn.Conv2d(4, 2, (3, 2), stride=(2, 1), padding=(1, 2), dilation=(1, 2), groups=2),
        x(2, 4, 6, 5),
    ),
    case("embedding", nn.Embedding(6, 3), index(6, 2, 5)),
    case("embedding with padding", nn.Embedding(4, 3, padding_idx=1), index(4, 3, 5)),
    case("layer_norm", nn.LayerNorm(4), x(3, 4)),
    case("layer_norm over two", nn.LayerNorm((3, 4), eps=1e-3), x(2, 3, 4)),
    case("batch_norm of [N, C]", nn.BatchNorm1d(3), x(6, 3), modes=BOTH),
    case("batch_norm of [N, C, L]", nn.BatchNorm1d(3, momentum=0.3), x(2, 3, 4), modes=BOTH),
    case("batch_norm of [N, C, H, W]", nn.BatchNorm2d(2, eps=1e-2), x(2, 2, 3, 2), modes=BOTH),
    case("batch_norm with the mean", nn.BatchNorm1d(2, momentum=None), x(4, 2), modes=BOTH),
    case("batch_norm plain", nn.BatchNorm1d(2, affine=False), x(4, 2), modes=BOTH),
    case("batch_norm untracked", nn.BatchNorm1d(2, track_running_stats=False), x(4, 2), modes=BOTH),
    case("dropout", nn.Dropout(0.5), x(3, 4), modes=(False,)),
    case("lstm", nn.LSTM(3, 2), x(4, 2, 3), first),
    case(
        "lstm with states",
        nn.LSTM(3, 2, num_layers=2, bidirectional=True, batch_first=True),
        sequence((2, 4, 3), (4, 2, 2), (4, 2, 2)),
        lstm_states,
    ),
    case("lstm without biases", nn.LSTM(3, 2, num_layers=3, bias=False), x(2, 2, 3), first),
    case("gru", nn.GRU(3, 2), x(4, 2, 3), first),
    case(
        "gru with states",
        nn.GRU(3, 2, num_layers=2, bidirectional=True),
        sequence((4, 2, 3), (4, 2, 2)),
        lambda module, a, h: list(module(a, h)),
    ),
    case(
        "attention",
        nn.MultiheadAttention(4, 2, batch_first=True),
        sequence((2, 3, 4), (2, 5, 4), (2, 5, 4)),
        attend,
    ),
    case("attention looking back", nn.MultiheadAttention(6, 3, batch_first=True), x(2, 4, 6), causal),
    case(
        "attention with a mask",
        nn.MultiheadAttention(4, 1, batch_first=True),
        lambda: {"x": torch.randn(2, 3, 4), "may": torch.tensor([[1, 0, 0], [1, 1, 0], [0, 1, 1]]).bool()},
        looking,
    ),
    case(
        "sequential",
        nn.Sequential(
            nn.Conv2d(1, 2, 3, padding=1),
            nn.BatchNorm2d(2),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Flatten(),
            nn.Linear(8, 3),
        ),
        x(3, 1, 4, 4),
        modes=BOTH,
    ),
]


def write(cases):
    json.dump({"torch": torch.__version__, "cases": cases}, sys.stdout, separators=(",", ":"))
    sys.stdout.write("\n")


if __name__ == "__main__":
    write(CASES)
