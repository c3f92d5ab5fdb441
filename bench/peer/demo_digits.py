#!/usr/bin/env python3
"""What `./hazelgrad demo digits` does, by torch.distributed.rpc: a trainer and N workers, each with one stage of the network.

    /usr/bin/python3 demo_digits.py ../../cli/src/main/resources/io/hazelgrad/cli/demo/digits.csv.gz --workers 3 --epochs 15 --json

Last line with --json: accuracy, steps, seconds (from the start of the script to its end, processes and imports included) and
train_seconds (the epochs alone). Rows are shuffled with a fixed seed, 360 are held out; batches of 32, SGD 0.05, momentum 0.9.
"""
import argparse, gzip, json, os, random, time
BEGIN = time.time()
import torch
import torch.multiprocessing as mp
import torch.distributed.rpc as rpc
import torch.distributed.autograd as dist_autograd
from torch.distributed.optim import DistributedOptimizer


class Stage(torch.nn.Module):
    def __init__(self, first, last, layers, seed):
        super().__init__()
        torch.manual_seed(seed)
        sizes = [64] + [64] * (layers - 1) + [10]
        self.all = torch.nn.ModuleList(torch.nn.Linear(sizes[i], sizes[i + 1]) for i in range(first, last))
        self.relu_last = last < layers

    def forward(self, x):
        for i, layer in enumerate(self.all):
            x = layer(x)
            if i + 1 < len(self.all) or self.relu_last:
                x = torch.relu(x)
        return x

    def parameter_rrefs(self):
        return [rpc.RRef(p) for p in self.parameters()]


def rows(path, held_out=360):
    with gzip.open(path, "rt") as f:
        data = [[float(v) for v in line.split(",")] for line in f if line[0].isdigit()]
    random.Random(1).shuffle(data)
    t = torch.tensor(data)
    x, y = t[:, :64] / 16, t[:, 64].long()
    return x[held_out:], y[held_out:], x[:held_out], y[:held_out]


def train(args):
    x, y, hx, hy = rows(args.data)
    n, layers = args.workers, max(2, args.workers)
    stages = [rpc.remote(f"w{i + 1}", Stage, (i * layers // n, (i + 1) * layers // n, layers, 1)) for i in range(n)]
    params = [p for s in stages for p in s.rpc_sync().parameter_rrefs()]
    opt = DistributedOptimizer(torch.optim.SGD, params, lr=0.05, momentum=0.9)

    def forward(v):
        for s in stages:
            v = s.rpc_sync().forward(v)
        return v

    steps, t0 = 0, time.time()
    for _ in range(args.epochs):
        for b in torch.randperm(len(x)).split(32):
            with dist_autograd.context() as c:
                loss = torch.nn.functional.cross_entropy(forward(x[b]), y[b])
                dist_autograd.backward(c, [loss])
                opt.step(c)
            steps += 1
    seconds = time.time() - t0
    right = (forward(hx).argmax(1) == hy).sum().item()
    return right / len(hx), steps, seconds


def run(rank, args, out):
    torch.set_num_threads(1)
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(args.port))
    rpc.init_rpc("trainer" if rank == 0 else f"w{rank}", rank=rank, world_size=args.workers + 1)
    if rank == 0:
        out.put(train(args))
    rpc.shutdown()


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("data"); p.add_argument("--workers", type=int, default=3); p.add_argument("--epochs", type=int, default=15)
    p.add_argument("--port", type=int, default=29533); p.add_argument("--json", action="store_true")
    args = p.parse_args()
    out = mp.get_context("spawn").SimpleQueue()
    ps = [mp.get_context("spawn").Process(target=run, args=(r, args, out)) for r in range(args.workers + 1)]
    [q.start() for q in ps]
    accuracy, steps, seconds = out.get()
    [q.join() for q in ps]
    line = {"accuracy": accuracy, "steps": steps, "seconds": round(time.time() - BEGIN, 3), "train_seconds": round(seconds, 3)}
    print(json.dumps(line) if args.json else line)
