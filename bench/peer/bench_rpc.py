#!/usr/bin/env python3
"""Benchmarks of torch.distributed.rpc (TensorPipe), to have a peer to compare with.

    python3 bench_rpc.py GROUP [--transport default|tcp] [--out FILE]

with a Python that has torch (Debian: python3-torch, and libopenblas0-pthread for matrix products; written with 1.13).

GROUP is one of: latency transfer rref autograd mlp ps memory startup local all

Every measurement is one JSON object on one line:
    name       what was measured
    params     its parameters (always with the transport, where one is involved)
    value,unit the headline figure (for a latency: the median)
    p50,p99    percentiles of the n timed samples, in microseconds (latencies only)
    n          how many timed samples, or how many operations for a rate
    load1      1-minute load average of the machine, a hint of foreign noise

Workers are separate processes on 127.0.0.1, one thread of computation each.
Rank 0 ("w0") drives and measures; the other ranks only serve calls, except
where a group says otherwise.
"""
import argparse
import collections
import gc
import json
import os
import socket
import threading
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import torch
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F
from torch._C._distributed_rpc import _rref_context_get_debug_info
from torch.distributed.optim import DistributedOptimizer

US = 1e6


# ---------------------------------------------------------------- plumbing

def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def rpc_options(transport, threads=16):
    """default: TensorPipe chooses (shared memory here); tcp: sockets only."""
    kw = dict(num_worker_threads=threads, rpc_timeout=600)
    if transport == "tcp":
        kw.update(_transports=["uv"], _channels=["basic"])
    return rpc.TensorPipeRpcBackendOptions(**kw)


def _worker(rank, world, port, transport, threads, body, out, args):
    torch.set_num_threads(1)
    os.environ["MASTER_ADDR"] = "127.0.0.1"
    os.environ["MASTER_PORT"] = str(port)
    rpc.init_rpc(f"w{rank}", rank=rank, world_size=world,
                 rpc_backend_options=rpc_options(transport, threads))
    if rank == 0:
        body(Report(out, transport), *args)
    rpc.shutdown()


def launch(world, body, out, transport, args=(), threads=16):
    """Starts `world` processes, runs body(report, *args) on rank 0."""
    mp.spawn(_worker, (world, free_port(), transport, threads, body, out, args), nprocs=world)


class Report:
    def __init__(self, out, transport=None):
        self.out, self.transport = out, transport

    def _write(self, **row):
        if self.transport:
            row["params"] = {**row["params"], "transport": self.transport}
        row["load1"] = os.getloadavg()[0]
        line = json.dumps(row)
        print(line, flush=True)
        if self.out:
            with open(self.out, "a") as f:
                f.write(line + "\n")

    def rate(self, name, value, unit, n, **params):
        self._write(name=name, params=params, value=value, unit=unit, n=n)

    def latency(self, name, seconds, **params):
        """seconds: a list of samples; the headline figure is the median in microseconds."""
        s = sorted(seconds)
        p50, p99 = s[len(s) // 2] * US, s[min(len(s) - 1, int(len(s) * 0.99))] * US
        self._write(name=name, params=params, value=p50, unit="us", p50=p50, p99=p99,
                    mean=sum(s) / len(s) * US, n=len(s))
        return p50


def sample(fn, warm, n):
    for _ in range(warm):
        fn()
    out = []
    for _ in range(n):
        t = time.perf_counter()
        fn()
        out.append(time.perf_counter() - t)
    return out


def sample_for(fn, seconds, warm=3, least=5, most=2000):
    """As sample(), for about `seconds`, whatever one call costs."""
    for _ in range(warm):
        fn()
    out, end = [], time.perf_counter() + seconds
    while len(out) < least or (time.perf_counter() < end and len(out) < most):
        t = time.perf_counter()
        fn()
        out.append(time.perf_counter() - t)
    return out


def in_flight(n, window, start):
    """Starts n asynchronous calls, never more than `window` unanswered."""
    flying = collections.deque()
    for _ in range(n):
        if len(flying) >= window:
            flying.popleft().wait()
        flying.append(start())
    while flying:
        flying.popleft().wait()


# ------------------------------------------- functions called on other workers

def udf_add(a, b):
    return a + b


def udf_noop():
    return None


def udf_sink(_t):
    return None


def udf_echo(t):
    return t


def udf_take_rref(_r):
    return None


def udf_rref_to_here(r):
    return r.to_here()


def rref_debug():
    return {k: int(v) for k, v in _rref_context_get_debug_info().items()}


def rss_bytes():
    gc.collect()
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# ------------------------------------------------------------- a. call latency

def latency(rep):
    a, b = torch.ones(1), torch.ones(1)
    for name, fn in [
        ("rpc_sync_builtin_add", lambda: rpc.rpc_sync("w1", torch.add, args=(a, b))),
        ("rpc_sync_udf_add", lambda: rpc.rpc_sync("w1", udf_add, args=(a, b))),
        ("rpc_sync_udf_noop", lambda: rpc.rpc_sync("w1", udf_noop)),
        ("rpc_sync_to_self_builtin_add", lambda: rpc.rpc_sync("w0", torch.add, args=(a, b))),
    ]:
        rep.latency(name, sample(fn, 1000, 10000))
    for kind, f in (("builtin", torch.add), ("udf", udf_add)):
        for window in (1, 8, 64, 1024):
            calls = 20000 if window > 1 else 10000
            for n in (2000, calls):  # the first round is the warm-up
                t = time.perf_counter()
                in_flight(n, window, lambda: rpc.rpc_async("w1", f, args=(a, b)))
                t = time.perf_counter() - t
            rep.rate("rpc_async_throughput", calls / t, "calls/s", calls,
                     function=kind, outstanding=window)


# ---------------------------------------------------------- b. tensor transfer

def transfer(rep):
    for size in (4 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20, 256 << 20):
        t = torch.ones(size // 4)
        for kind, fn, moved in (("one_way", udf_sink, size), ("echo", udf_echo, 2 * size)):
            s = sample_for(lambda: rpc.rpc_sync("w1", fn, args=(t,)), 2.0)
            p50 = rep.latency(f"transfer_{kind}_latency", s, bytes=size)
            # bytes that crossed, over the median time
            rep.rate(f"transfer_{kind}", moved / (p50 / US) / 1e6, "MB/s", len(s), bytes=size)


# -------------------------------------------------------------------- c. RRefs

def wait_for(cond, what, limit=120):
    end = time.perf_counter() + limit
    while not cond():
        if time.perf_counter() > end:
            raise TimeoutError(what)
        time.sleep(0.002)


def owners_on(worker):
    return rpc.rpc_sync(worker, rref_debug)["num_owner_rrefs"]


def rref(rep):
    """w0 uses, w1 owns, w2 receives forks."""
    a = torch.ones(1)
    rep.latency("remote_plus_to_here_builtin",
                sample(lambda: rpc.remote("w1", torch.add, args=(a, a)).to_here(), 500, 5000))
    rep.latency("remote_plus_to_here_udf",
                sample(lambda: rpc.remote("w1", udf_add, args=(a, a)).to_here(), 500, 5000))
    r = rpc.remote("w1", torch.add, args=(a, a))
    rep.latency("to_here_existing", sample(r.to_here, 500, 5000))
    del r
    rep.latency("local_rref_create_drop", sample(lambda: rpc.RRef(a), 1000, 20000))

    for n in (1000, 10000):  # the first round is the warm-up
        wait_for(lambda: owners_on("w1") == 0, "owner empty")
        t0 = time.perf_counter()
        refs = [rpc.remote("w1", torch.add, args=(a, a)) for _ in range(n)]
        t1 = time.perf_counter()
        wait_for(lambda: owners_on("w1") == n and rref_debug()["num_pending_users"] == 0, "created")
        t2 = time.perf_counter()
        del refs
        gc.collect()
        t3 = time.perf_counter()
        wait_for(lambda: owners_on("w1") == 0, "deleted")
        t4 = time.perf_counter()
    rep.rate("rref_create_issue_rate", n / (t1 - t0), "rrefs/s", n)
    rep.rate("rref_create_confirmed_rate", n / (t2 - t0), "rrefs/s", n)
    rep.rate("rref_delete_rate", n / (t4 - t2), "rrefs/s", n)
    rep.rate("rref_create_plus_delete_rate", n / (t4 - t0), "rrefs/s", n)
    rep.rate("rref_drop_return_time", (t3 - t2) * 1e3, "ms", n)

    # A callee that blocks in to_here() holds a worker thread, and answers need one too: with as many
    # such calls in flight as there are threads (16) torch deadlocks. Hence the limit for "to_here".
    for name, to, f, window in (("take", "w2", udf_take_rref, 2000), ("to_here", "w2", udf_rref_to_here, 8),
                                ("take", "w1", udf_take_rref, 2000)):
        r = rpc.remote("w1", torch.add, args=(a, a))
        r.to_here()
        for n in (200, 2000):  # the first round is the warm-up
            t = time.perf_counter()
            in_flight(n, window, lambda: rpc.rpc_async(to, f, args=(r,)))
            t1 = time.perf_counter() - t
            # w0's own fork remains on the owner
            wait_for(lambda: rpc.rpc_sync("w1", rref_debug)["num_forks"] <= 1, "forks gone")
            t2 = time.perf_counter() - t
        rep.rate("rref_fork_fan_out", n / t1, "calls/s", n, callee_does=name, outstanding=window,
                 callee="owner" if to == "w1" else "third worker",
                 until_forks_acknowledged_calls_per_s=n / t2)
        del r


# ----------------------------------------------------- d. distributed autograd

def nested_add(x, b, depth, here, there):
    """Ping-pong between two workers, `depth` RPCs deep."""
    if depth == 0:
        return x
    return rpc.rpc_sync(there, nested_add, args=(x + b, b, depth - 1, there, here))


def autograd(rep):
    x = torch.ones(1, requires_grad=True)
    b = torch.ones(1)

    def one():
        return rpc.rpc_sync("w1", torch.add, args=(x, b))

    def chain(n):
        y = x
        for _ in range(n):
            y = rpc.rpc_sync("w1", torch.add, args=(y, b))
        return y

    def wide(n):
        futs = [rpc.rpc_async("w1", torch.add, args=(x, b)) for _ in range(n)]
        return torch.stack([f.wait() for f in futs]).sum()

    def nested(n):
        return nested_add(x, b, n, "w0", "w1")

    def empty_context():
        with dist_autograd.context():
            pass

    rep.latency("dist_context_empty", sample(empty_context, 500, 5000))
    for name, calls, fn, warm, n in (("one", 1, one, 300, 3000),
                                     ("chain", 10, lambda: chain(10), 50, 500),
                                     ("chain", 100, lambda: chain(100), 5, 60),
                                     ("wide", 100, lambda: wide(100), 10, 150),
                                     ("nested", 10, lambda: nested(10), 50, 500),
                                     ("nested", 100, lambda: nested(100), 3, 50)):
        fwd, bwd, total = [], [], []
        for i in range(warm + n):
            t0 = time.perf_counter()
            with dist_autograd.context() as ctx:
                y = fn()
                t1 = time.perf_counter()
                dist_autograd.backward(ctx, [y.sum()])
                t2 = time.perf_counter()
                if i == 0:
                    assert x in dist_autograd.get_gradients(ctx)
            t3 = time.perf_counter()
            if i >= warm:
                fwd.append(t1 - t0), bwd.append(t2 - t1), total.append(t3 - t0)
        rep.latency("autograd_forward", fwd, graph=name, rpcs=calls)
        rep.latency("autograd_backward", bwd, graph=name, rpcs=calls)
        rep.latency("autograd_total", total, graph=name, rpcs=calls)


class RemoteLayer(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        torch.manual_seed(0)
        self.linear = nn.Linear(i, o)

    def forward(self, x):
        return F.relu(self.linear(x))

    def param_rrefs(self):
        return [rpc.RRef(p) for p in self.parameters()]


def mlp(rep):
    """784-256-10 with the first layer on w1, the second and the loss on w0, plain SGD."""
    torch.manual_seed(1)
    first = rpc.remote("w1", RemoteLayer, args=(784, 256))
    second = nn.Linear(256, 10)
    opt = DistributedOptimizer(torch.optim.SGD,
                               first.rpc_sync().param_rrefs() + [rpc.RRef(p) for p in second.parameters()],
                               lr=0.05)
    x, y = torch.randn(64, 784), torch.randint(0, 10, (64,))
    losses, fwd, bwd, step, total = [], [], [], [], []
    for i in range(30 + 400):
        t0 = time.perf_counter()
        with dist_autograd.context() as ctx:
            loss = F.cross_entropy(second(first.rpc_sync().forward(x)), y)
            t1 = time.perf_counter()
            dist_autograd.backward(ctx, [loss])
            t2 = time.perf_counter()
            opt.step(ctx)
            t3 = time.perf_counter()
        t4 = time.perf_counter()
        losses.append(loss.item())
        if i >= 30:
            fwd.append(t1 - t0), bwd.append(t2 - t1), step.append(t3 - t2), total.append(t4 - t0)
    assert losses[-1] < losses[0] / 2, losses[::50]
    rep.latency("mlp_forward", fwd)
    rep.latency("mlp_backward", bwd)
    rep.latency("mlp_optimizer_step", step)
    rep.latency("mlp_total_step", total)
    rep.rate("mlp_steps", len(total) / sum(total), "steps/s", len(total))

    # the same network and optimizer in one process, for scale
    net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    sgd = torch.optim.SGD(net.parameters(), lr=0.05)

    def local_step():
        sgd.zero_grad()
        F.cross_entropy(net(x), y).backward()
        sgd.step()
    s = sample(local_step, 20, 200)
    rep.rate("mlp_local_steps", len(s) / sum(s), "steps/s", len(s))


# --------------------------------------------------------- e. parameter server

class ParameterServer:
    """Holds 10 MB of float32 parameters; trainers are w1 and w2, the server is w0."""

    def __init__(self, trainers):
        self.params = torch.zeros(2_500_000)
        self.lock = threading.Lock()
        self.trainers = trainers
        self.waiting = 0
        self.sum = torch.zeros_like(self.params)
        self.future = torch.futures.Future()

    def push(self, grad):
        with self.lock:
            self.params.add_(grad, alpha=-0.01)

    def pull(self):
        return self.params

    def push_pull(self, grad):
        self.push(grad)
        return self.params

    @staticmethod
    @rpc.functions.async_execution
    def batched(rref, grad):
        """Answers when every trainer's gradient is in; one update for the whole batch."""
        self = rref.local_value()
        with self.lock:
            self.sum.add_(grad)
            self.waiting += 1
            future = self.future
            if self.waiting == self.trainers:
                self.params.add_(self.sum, alpha=-0.01 / self.trainers)
                self.sum.zero_()
                self.waiting = 0
                self.future = torch.futures.Future()
                future.set_result(self.params)
        return future


def trainer(server, mode, steps):
    grad = torch.ones(2_500_000)
    for _ in range(steps):
        if mode == "push_then_pull":
            server.rpc_sync().push(grad)
            server.rpc_sync().pull()
        elif mode == "push_pull_one_call":
            server.rpc_sync().push_pull(grad)
        else:
            rpc.rpc_sync(server.owner(), ParameterServer.batched, args=(server, grad))


def ps(rep):
    steps = 200
    for mode in ("push_then_pull", "push_pull_one_call", "batched_async_execution"):
        server = rpc.RRef(ParameterServer(trainers=2))
        for n in (5, steps):
            t = time.perf_counter()
            for f in [rpc.rpc_async(w, trainer, args=(server, mode, n)) for w in ("w1", "w2")]:
                f.wait()
            t = time.perf_counter() - t
        # one update = one trainer's gradient pushed and fresh parameters received
        rep.rate("ps_updates", 2 * steps / t, "updates/s", 2 * steps, mode=mode, mb=10, trainers=2,
                 server_steps_per_s=(1 if mode.startswith("batched") else 2) * steps / t)


# ------------------------------------------------------------------- f. memory

KEEP = []


def hold_plain(n):
    KEEP.append([torch.ones(1) for _ in range(n)])


def hold_rrefs(n):
    KEEP.append([rpc.RRef(torch.ones(1)) for _ in range(n)])


def memory(rep):
    n, a = 100_000, torch.ones(1)

    def grown(fn):
        before = rpc.rpc_sync("w1", rss_bytes)
        rpc.rpc_sync("w1", fn, args=(n,))
        return rpc.rpc_sync("w1", rss_bytes), before

    rep.rate("rss_idle_worker", rpc.rpc_sync("w1", rss_bytes) / 1e6, "MB", 1)
    for name, fn in (("plain_tensor", hold_plain), ("owner_rref_made_locally", hold_rrefs)):
        after, before = grown(fn)
        rep.rate("memory_per_object", (after - before) / n, "bytes", n, what=name, rss_mb=after / 1e6)

    before, mine = rpc.rpc_sync("w1", rss_bytes), rss_bytes()
    refs = []
    while len(refs) < n:
        refs += [rpc.remote("w1", torch.add, args=(a, a)) for _ in range(1000)]
        refs[-1].to_here()
    wait_for(lambda: rref_debug()["num_pending_users"] == 0, "confirmed")
    after, mine_after = rpc.rpc_sync("w1", rss_bytes), rss_bytes()
    rep.rate("memory_per_object", (after - before) / n, "bytes", n,
             what="owner_rref_made_by_remote, at the owner", rss_mb=after / 1e6)
    rep.rate("memory_per_object", (mine_after - mine) / n, "bytes", n,
             what="user_rref_made_by_remote, at the user", rss_mb=mine_after / 1e6)


def _startup(rank, world, port, transport, queue):
    torch.set_num_threads(1)
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", str(port)
    queue.put(None)             # imports are done
    while queue.qsize() < world:
        time.sleep(0.001)       # start together
    t0 = time.perf_counter()
    rpc.init_rpc(f"w{rank}", rank=rank, world_size=world, rpc_backend_options=rpc_options(transport))
    t1 = time.perf_counter()
    rpc.rpc_sync(f"w{(rank + 1) % world}", udf_noop)
    t2 = time.perf_counter()
    rpc.shutdown()
    t3 = time.perf_counter()
    queue.put((t1 - t0, t2 - t1, t3 - t2))


def startup(rep, transport):
    """The slowest worker's time of each round."""
    for world in (2, 4):
        rounds = []
        for _ in range(4):
            queue = mp.get_context("spawn").Queue()
            mp.spawn(_startup, (world, free_port(), transport, queue), nprocs=world)
            got = [queue.get() for _ in range(2 * world)]
            rounds.append([max(c) for c in zip(*[g for g in got if g])])
        for i, name in enumerate(("init_rpc", "first_call", "shutdown")):
            rep.latency(name, [r[i] for r in rounds], workers=world)


# -------------------------------------------------------------------- g. local

def local(rep):
    for n in (64, 256, 1024, 2048):
        a, b = torch.randn(n, n), torch.randn(n, n)
        s = sample_for(lambda: torch.mm(a, b), 2.0, warm=2, least=3)
        p50 = rep.latency("matmul_f32_latency", s, size=n)
        rep.rate("matmul_f32", 2 * n ** 3 / (p50 / US) / 1e9, "GFLOP/s", len(s), size=n)
    for name, grad in (("no_grad", False), ("requires_grad", True)):
        a, b = torch.ones(1, requires_grad=grad), torch.ones(1)
        rounds = []
        for _ in range(11):
            t = time.perf_counter()
            for _ in range(100_000):
                torch.add(a, b)
            rounds.append((time.perf_counter() - t) / 100_000)
        rep.rate("op_overhead_add", sorted(rounds)[5] * 1e9, "ns", 11 * 100_000, autograd=name)
    x = torch.ones(1, requires_grad=True)

    def add_backward():
        torch.add(x, 1).backward()
    rep.latency("local_add_plus_backward", sample(add_backward, 1000, 20000))


# ------------------------------------------------------------------------ main

# group: (workers, body, worker threads)
RPC_GROUPS = {"latency": (2, latency, 16), "transfer": (2, transfer, 16), "rref": (3, rref, 16),
              "autograd": (2, autograd, 128), "mlp": (2, mlp, 16), "ps": (3, ps, 16),
              "memory": (2, memory, 16)}

if __name__ == "__main__":
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("group", choices=[*RPC_GROUPS, "startup", "local", "all"])
    ap.add_argument("--transport", choices=["default", "tcp"], default="default")
    ap.add_argument("--out", help="append the JSON lines here as well")
    opt = ap.parse_args()
    torch.set_num_threads(1)
    for g in ([*RPC_GROUPS, "startup", "local"] if opt.group == "all" else [opt.group]):
        if g == "local":
            local(Report(opt.out))
        elif g == "startup":
            startup(Report(opt.out, opt.transport), opt.transport)
        else:
            world, body, threads = RPC_GROUPS[g]
            launch(world, body, opt.out, opt.transport, threads=threads)
