"""What the ratio of a figure shall be; docs/benchmarks.md says the same in words."""

AT_MOST, AT_LEAST = "<=", ">="

# (name, the parameters that matter, which way, the limit); the first that fits counts
GOALS = [
    *[(f"transfer_{kind}", {"bytes": mib << 20, "shared_memory": False}, AT_LEAST, 1)
      for kind in ("one_way", "echo") for mib in (1, 16, 64, 256)],
    ("rpc_sync_builtin_add", {}, AT_MOST, 0.4),
    ("rpc_async_throughput", {"outstanding": 64}, AT_LEAST, 10),
    ("rpc_async_throughput", {"outstanding": 1024}, AT_LEAST, 10),
    *[("transfer_one_way", {"bytes": mib << 20}, AT_LEAST, 1.5) for mib in (1, 16)],
    *[("transfer_one_way", {"bytes": mib << 20}, AT_LEAST, 4) for mib in (64, 256)],
    *[("transfer_echo", {"bytes": mib << 20}, AT_LEAST, 1) for mib in (1, 16, 64, 256)],
    ("rref_create_plus_delete_rate", {}, AT_LEAST, 2),
    ("remote_plus_to_here_builtin", {}, AT_MOST, 0.6),
    ("remote_plus_to_here_udf", {}, AT_MOST, 0.6),
    ("to_here_existing", {}, AT_MOST, 0.8),
    ("autograd_backward", {"graph": "one"}, AT_MOST, 0.7),
    ("autograd_backward", {"graph": "chain"}, AT_MOST, 0.6),
    ("autograd_backward", {"graph": "wide"}, AT_MOST, 0.3),
    ("autograd_backward", {"graph": "nested"}, AT_MOST, 0.6),
    ("mlp_steps", {}, AT_LEAST, 1),
    ("ps_updates", {}, AT_LEAST, 1),
]


def goal(row):
    """Returns (which way, the limit) for a row, None if it has no goal."""
    for name, params, way, limit in GOALS:
        if row.name == name and params.items() <= row.params.items():
            return way, limit
    return None


def verdict(row):
    """Returns the goal and whether it is met, in words; empty without a goal."""
    found = goal(row)
    if not found:
        return ""
    way, limit = found
    if row.ratio is None:
        return f"{way} {limit}: unknown"
    met = row.ratio <= limit if way == AT_MOST else row.ratio >= limit
    return f"{way} {limit}: {'met' if met else 'missed'}"
