"""Figures of both sides, joined by name and parameters.

An entry is a dict, and one line of the file that --json names:
    {"machine": {...}}                                        where and when it was measured
    {"round": 1, "group": "ps", "side": "ours", "figure": F}  F is the line that a benchmark printed
    {"round": 1, "group": "ps", "side": "ours", "done": 3}    the run ended well, with so many figures
    {"round": 1, "group": "ps", "side": "ours", "problem": P} why that run gave no figures, or not all
"""
import dataclasses
import json
import statistics

OURS, OPERATIONS, SHARED, TCP, GRPC = "ours", "ours-operations", "peer", "peer-tcp", "grpc"
SIDES = {OURS: "ours", OPERATIONS: "ours by operations", SHARED: "peer (shared memory)", TCP: "peer (tcp)",
         GRPC: "gRPC-java"}
PEERS = (SHARED, TCP, GRPC)

SMALLER_IS_BETTER = {"ns", "us", "ms", "s", "bytes", "MB"}
LARGER_IS_BETTER = {"calls/s", "rrefs/s", "steps/s", "updates/s", "MB/s", "GFLOP/s"}

# Parameters that say what came out, not what was done, and the figure that they are, if they are one.
RESULTS = {
    "transport": None,  # This is what the columns are.
    "server_steps_per_s": None,  # The updates, counted in another way.
    "rss_mb": None,
    "used_mb": None,
    "until_forks_acknowledged_calls_per_s": ("rref_fork_fan_out_acknowledged", "calls/s"),
}

# Groups in which no memory is shared; our figures say so in a parameter, the peer's in their transport.
# With what the peer calls them.
WITHOUT_SHARED_MEMORY = {"sockets": "transfer", "ddp_sockets": "ddp"}


class BadFile(Exception):
    """A file of entries that cannot be read."""


@dataclasses.dataclass
class Row:
    """One figure: its values by side and round."""

    name: str
    params: dict
    unit: str
    values: dict = dataclasses.field(default_factory=dict)

    def of(self, side):
        """The values of a side by round, empty if there are none."""
        return self.values.get(side, {})

    def median(self, side):
        """The median over the rounds, None if there is no value."""
        values = self.of(side)
        return statistics.median(values.values()) if values else None

    @property
    def smaller_is_better(self):
        if self.unit in SMALLER_IS_BETTER:
            return True
        if self.unit in LARGER_IS_BETTER:
            return False
        raise BadFile(f"{self.name} has the unit {self.unit!r}, and nobody said whether less of it is better")

    @property
    def better_peer(self):
        """The side of the peer whose median is better, None if it has no value."""
        there = [side for side in PEERS if self.of(side)]
        pick = min if self.smaller_is_better else max
        return pick(there, key=self.median) if there else None

    @property
    def ratio(self):
        """Our median over the better one of the peer, None if a side is missing."""
        return self.ratio_of(OURS)

    def ratio_of(self, side):
        """The same for one side of ours."""
        ours, peer = self.median(side), self.median(self.better_peer)
        return ours / peer if ours is not None and peer else None

    @property
    def is_better(self):
        """Whether ours is better than the best of the others', None if that is unknown."""
        if self.ratio is None:
            return None
        return self.ratio < 1 if self.smaller_is_better else self.ratio > 1

    def ratios(self):
        """The ratio of each round that both sides have, to the same transport as the ratio."""
        ours, peer = self.of(OURS), self.of(self.better_peer)
        return [ours[n] / peer[n] for n in sorted(ours.keys() & peer.keys()) if peer[n]]


def split(figure):
    """Gives a benchmark's line as one or more (name, params, unit, value)."""
    params = {k: v for k, v in figure["params"].items() if k not in RESULTS}
    yield figure["name"], params, figure["unit"], figure["value"]
    for param, meaning in RESULTS.items():
        if meaning and param in figure["params"]:
            yield meaning[0], params, meaning[1], figure["params"][param]


def join(entries):
    """Returns rows in the order of first appearance; of the same round, the last value counts."""
    rows = {}
    for entry in entries:
        if "figure" not in entry:
            continue
        for name, params, unit, value in split(entry["figure"]):
            if entry["group"] in WITHOUT_SHARED_MEMORY:
                params = {**params, "shared_memory": False}
            key = name, json.dumps(params, sort_keys=True)
            row = rows.setdefault(key, Row(name, params, unit))
            if row.unit != unit:
                raise BadFile(f"{name} {params} is in {row.unit} and in {unit}")
            row.values.setdefault(entry["side"], {})[entry["round"]] = value
    return list(rows.values())


def missing(entries):
    """Returns a line for each run that failed, and none for one that was made well later."""
    problems = {}
    for entry in entries:
        if "problem" in entry:
            problems[entry["group"], entry["round"], entry["side"]] = entry["problem"]
        elif entry.get("done"):
            problems.pop((entry["group"], entry["round"], entry["side"]), None)
    return [f"{group}, round {number}, {SIDES[side]}: {problem}" for (group, number, side), problem in problems.items()]


def read(path):
    """Reads the entries of a file."""
    entries = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                entry = json.loads(line)
                if "machine" not in entry and entry["side"] not in SIDES:
                    raise ValueError(f"there is no side {entry['side']!r}")
            except (ValueError, KeyError, TypeError) as e:
                raise BadFile(f"{path}, line {number} is no entry: {e!r}") from e
            entries.append(entry)
    return entries
