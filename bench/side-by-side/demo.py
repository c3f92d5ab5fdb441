"""Runs `hazelgrad demo digits` and the same training by torch by turns, and compares the times of the whole commands."""
import json
import statistics
import sys
import time

import runs

ROOT = runs.PEER.parent.parent.parent
DATA = ROOT / "cli/src/main/resources/io/hazelgrad/cli/demo/digits.csv.gz"
OURS, PEER = "hazelgrad", "torch"


def _commands(hazelgrad, python, epochs):
    more = ["--epochs", str(epochs), "--json"]
    commands = {OURS: [str(hazelgrad), "demo", "digits", *more]}
    if python:
        commands[PEER] = [python, str(runs.PEER.parent / "demo_digits.py"), str(DATA), *more]
    return commands


def _seconds(command, limit):
    """Returns the time from the start of a command to the end of its processes, and the accuracy that it reached."""
    lines = []
    start = time.monotonic()
    runs.run(command, limit, lines.append)
    seconds = time.monotonic() - start
    return seconds, json.loads(lines[-1])["accuracy"]


def compare(hazelgrad, python, rounds, epochs, limit):
    """Prints each run and the ratio of the medians; raises runs.Failed if a run fails."""
    taken = {}
    # The first run may make an archive of classes.
    _seconds(_commands(hazelgrad, None, 1)[OURS], limit)
    for number in range(1, rounds + 1):
        for side, command in _commands(hazelgrad, python, epochs).items():
            seconds, accuracy = _seconds(command, limit)
            taken.setdefault(side, []).append(seconds)
            print(f"round {number} of {rounds}, {side}: {seconds:.1f} s, accuracy {accuracy:.3f}", file=sys.stderr)
    medians = {side: statistics.median(times) for side, times in taken.items()}
    for side, median in medians.items():
        print(f"demo digits, {epochs} epochs, {side}: {median:.1f} s")
    if PEER in medians:
        print(f"ratio {OURS} / {PEER}: {medians[OURS] / medians[PEER]:.2f}")
