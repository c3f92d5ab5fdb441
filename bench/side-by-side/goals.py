"""What the ratio of a figure shall be; docs/benchmarks.md says the same in words."""
from figures import OPERATIONS

AT_MOST, AT_LEAST = "<=", ">="

# (name, the parameters that matter, which way, the limit); the first that fits counts. A pair of limits is that of calls as tasks,
# which are the default, and that of calls as operations.
GOALS = [
    *[(f"transfer_{kind}", {"bytes": mib << 20, "shared_memory": False}, AT_LEAST, 1)
      for kind in ("one_way", "echo") for mib in (1, 16, 64, 256)],
    ("rpc_sync_echo", {}, AT_MOST, 0.8),
    *[("rpc_async_throughput", {"function": "echo", "outstanding": n}, AT_LEAST, 2) for n in (64, 1024)],
    ("rpc_sync_builtin_add", {}, AT_MOST, (0.5, 0.4)),
    ("rpc_async_throughput", {"outstanding": 64}, AT_LEAST, (7, 10)),
    ("rpc_async_throughput", {"outstanding": 1024}, AT_LEAST, (12, 20)),
    *[("transfer_one_way", {"bytes": mib << 20}, AT_LEAST, 1.5) for mib in (1, 16)],
    *[("transfer_one_way", {"bytes": mib << 20}, AT_LEAST, 4) for mib in (64, 256)],
    *[("transfer_echo", {"bytes": mib << 20}, AT_LEAST, 1) for mib in (1, 16, 64, 256)],
    ("rref_create_plus_delete_rate", {}, AT_LEAST, 2),
    ("remote_plus_to_here_builtin", {}, AT_MOST, (0.75, 0.6)),
    ("remote_plus_to_here_udf", {}, AT_MOST, (0.75, 0.6)),
    ("to_here_existing", {}, AT_MOST, (0.7, 0.6)),
    ("autograd_backward", {"graph": "one"}, AT_MOST, 0.7),
    ("autograd_backward", {"graph": "chain"}, AT_MOST, 0.6),
    ("autograd_backward", {"graph": "wide"}, AT_MOST, 0.3),
    ("autograd_backward", {"graph": "nested"}, AT_MOST, 0.6),
    *[("all_reduce", {"bytes": mib << 20, "shared_memory": False}, AT_LEAST, 1) for mib in (1, 16, 64)],
    *[("all_reduce", {"bytes": mib << 20}, AT_LEAST, 4) for mib in (1, 16, 64)],
    ("all_reduce_latency", {"bytes": 4096, "shared_memory": False}, AT_MOST, 1),
    ("all_reduce_latency", {"bytes": 4096}, AT_MOST, 0.7),
    ("ddp_steps", {}, AT_LEAST, 1.2),
    ("mlp_steps", {}, AT_LEAST, 1),
    ("ps_updates", {}, AT_LEAST, 1),
]


def goal(row):
    """Returns (which way, the limits of both engines) for a row, None if it has no goal."""
    for name, params, way, limit in GOALS:
        if row.name == name and params.items() <= row.params.items():
            return way, limit if isinstance(limit, tuple) else (limit, limit)
    return None


def verdict(row):
    """Returns the goal and whether it is met, in words; empty without a goal. Operations count where they were measured."""
    found = goal(row)
    if not found:
        return ""
    way, limits = found
    words = _verdict(way, limits[0], row.ratio)
    if row.ratio_of(OPERATIONS) is not None:
        words += "; by operations " + _verdict(way, limits[1], row.ratio_of(OPERATIONS))
    return words


def _verdict(way, limit, ratio):
    if ratio is None:
        return f"{way} {limit}: unknown"
    met = ratio <= limit if way == AT_MOST else ratio >= limit
    return f"{way} {limit}: {'met' if met else 'missed'}"
