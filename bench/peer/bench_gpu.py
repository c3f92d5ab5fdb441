#!/usr/bin/env python3
"""What `hazelgrad bench gpu` measures, by eager torch on the same GPU; needs a torch with CUDA.

    python3 bench_gpu.py            one JSON object per line

gpu_matmul: float32 without TF32, GFLOP/s. gpu_mlp_steps: MLP 784-1024-1024-10, SGD. gpu_gpt_steps: a transformer (width 128: block 64,
4 layers, 4 heads; width 1024: block 256, 4 layers, 16 heads; vocab 128, batch 16), AdamW. gpu_upload, gpu_download: 256 MiB of float32 from
and to pageable memory, and with pinned=true from and to pinned memory, MB/s.
"""
import json, statistics, time
import torch

STEPS = 400
GPT_STEPS = 40
GPU = torch.device("cuda")


def emit(name, value, unit, **params):
    print(json.dumps({"name": name, "params": params, "value": value, "unit": unit}), flush=True)


def matmul(size):
    a, b = torch.randn(size, size, device=GPU), torch.randn(size, size, device=GPU)
    count = int(max(10, min(2000, 4e13 / (2 * size ** 3))))
    times = []
    for i in range(7):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(count):
            a @ b
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) / count)
    emit("gpu_matmul", 2 * size ** 3 / statistics.median(times[2:]) / 1e9, "GFLOP/s", size=size)


def rate(step, warm_up, count):
    for _ in range(warm_up):
        step()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(count):
        step()
    torch.cuda.synchronize()
    return count / (time.perf_counter() - begin)


def mlp(batch):
    layers = []
    for a, b in zip((784, 1024, 1024), (1024, 1024, 10)):
        layers += [torch.nn.Linear(a, b), torch.nn.ReLU()]
    net = torch.nn.Sequential(*layers[:-1]).to(GPU)
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    x, y = torch.randn(batch, 784, device=GPU), torch.randint(0, 10, (batch,), device=GPU)

    def step():
        opt.zero_grad()
        torch.nn.functional.cross_entropy(net(x), y).backward()
        opt.step()

    emit("gpu_mlp_steps", rate(step, 200, STEPS), "steps/s", model="784-1024-1024-10", batch=batch)


def gpt(block, width, heads):
    token, position = torch.nn.Embedding(128, width).to(GPU), torch.nn.Embedding(block, width).to(GPU)
    layers = torch.nn.ModuleList(torch.nn.TransformerEncoderLayer(
        width, heads, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True) for _ in range(4)).to(GPU)
    norm, head = torch.nn.LayerNorm(width).to(GPU), torch.nn.Linear(width, 128, bias=False).to(GPU)
    mask = torch.triu(torch.full((block, block), float("-inf"), device=GPU), 1)
    opt = torch.optim.AdamW([p for m in (token, position, layers, norm, head) for p in m.parameters()], lr=0.001)
    ids = torch.randint(0, 128, (16, block + 1), device=GPU)
    inputs, targets = ids[:, :-1].contiguous(), ids[:, 1:].reshape(-1)

    def step():
        x = token(inputs) + position(torch.arange(block, device=GPU))
        for layer in layers:
            x = layer(x, src_mask=mask)
        opt.zero_grad()
        torch.nn.functional.cross_entropy(head(norm(x)).reshape(-1, 128), targets).backward()
        opt.step()

    emit("gpu_gpt_steps", rate(step, GPT_STEPS, GPT_STEPS), "steps/s", width=width)


def copies():
    size = 256 << 20
    for pinned in (False, True):
        here = torch.randn(size // 4, pin_memory=pinned)
        there = here.to(GPU)
        for name, copy in (("gpu_upload", lambda: there.copy_(here)), ("gpu_download", lambda: here.copy_(there))):
            times = []
            for i in range(18):
                torch.cuda.synchronize()
                begin = time.perf_counter()
                copy()
                torch.cuda.synchronize()
                times.append(time.perf_counter() - begin)
            emit(name, size / statistics.median(times[3:]) / 1e6, "MB/s", bytes=size, **({"pinned": True} if pinned else {}))


if __name__ == "__main__":
    torch.manual_seed(1)
    for size in (256, 1024, 4096, 8192):
        matmul(size)
    for batch in (64, 4096):
        mlp(batch)
    gpt(64, 128, 4)
    gpt(256, 1024, 16)
    copies()
