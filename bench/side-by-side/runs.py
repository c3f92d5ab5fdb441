"""Runs the benchmarks of both sides, each in a process group of its own that ends by a limit."""
import contextlib
import datetime
import json
import os
import pathlib
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time

from figures import GRPC, OPERATIONS, OURS, SHARED, TCP, WITHOUT_SHARED_MEMORY

PEER = pathlib.Path(__file__).resolve().parent.parent / "peer" / "bench_rpc.py"
DDP = PEER.parent / "bench_ddp.py"
GRPC_BENCH = PEER.parent / "grpc"
TRANSPORTS = {SHARED: "default", TCP: "tcp"}
CALLING = {"latency", "rref", "autograd", "mlp", "ps"}  # Measured with calls as tasks and with calls as operations.
ONE_WAY = {"local", "ddp"}  # The peer has no choice of a transport: it runs once a round.
BUILD_LIMIT = 1800
PROBE_LIMIT = 120
GRACE = 10  # What a group that is asked to end gets before it is killed.
TAIL = 2000


class Failed(Exception):
    """A process that did not do what it should."""


def _signal(group, number):
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _end(process):
    """Ends a process and those that it started."""
    _signal(process.pid, signal.SIGTERM)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(GRACE)
    _signal(process.pid, signal.SIGKILL)
    process.wait()


def run(command, limit, on_line=lambda line: None, **variables):
    """Runs a command and hands each line that it prints over; raises Failed with what it said at last.

    Variables are added to its environment. It gets so many seconds. Nothing that it started is left running, also if this is interrupted.
    """
    threads = {name: os.environ.get(name, "1") for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        try:
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, stdin=subprocess.DEVNULL,
                                       text=True, errors="replace", start_new_session=True,
                                       env={**os.environ, **threads, **variables})
        except OSError as e:
            raise Failed(str(e)) from e
        late = threading.Event()

        def time_is_up():
            late.set()
            _end(process)

        timer = threading.Timer(limit, time_is_up)
        timer.start()
        try:
            for line in process.stdout:
                on_line(line)
            process.wait()
        finally:
            timer.cancel()
            _end(process)
            process.stdout.close()
            timer.join()
        if late.is_set():
            raise Failed(f"ended after its limit of {limit:g} s")
        if process.returncode:
            errors.seek(0)
            said = " ".join(errors.read()[-TAIL:].split()[-60:])
            raise Failed(f"exit code {process.returncode}: {said}")


def output(command, limit=PROBE_LIMIT):
    """Returns what a command prints on its standard output."""
    lines = []
    run(command, limit, lines.append)
    return "".join(lines).strip()


def ready(hazelgrad):
    """Checks that our command runs; the launcher builds it first where that is needed."""
    run([str(hazelgrad), "--version"], BUILD_LIMIT)


def find_torch(python):
    """Returns (a Python that has torch's RPC, torch's version); raises Failed if there is none."""
    candidates = [python] if python else [sys.executable, "python3", "/usr/bin/python3"]
    probe = "import torch, torch.distributed.rpc as rpc; rpc.init_rpc; print(torch.__version__)"
    said = []
    for candidate in dict.fromkeys(candidates):
        try:
            return candidate, output([candidate, "-c", probe])
        except Failed as e:
            said.append(f"{candidate}: {e}")
    raise Failed("; ".join(said))


def find_grpc():
    """Fetches the libraries of gRPC-java where they are missing; returns their version, raises Failed without them."""
    libraries = GRPC_BENCH / "target" / "lib"
    if not any(libraries.glob("*.jar")):
        run(["mvn", "-B", "-q", "-f", str(GRPC_BENCH), "dependency:copy-dependencies", f"-DoutputDirectory={libraries}"],
            BUILD_LIMIT)
    return next(libraries.glob("grpc-stub-*.jar")).stem.removeprefix("grpc-stub-")


def java():
    """Returns the command that runs Java."""
    home = os.environ.get("JAVA_HOME")
    return os.path.join(home, "bin", "java") if home else "java"


def machine(torch, grpc):
    """Says where this runs."""
    memory = "?"
    with contextlib.suppress(OSError, ValueError):
        memory = f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    jdk = _or_unknown([java(), "-XshowSettings:properties", "-version"], "java.runtime.version")
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": _or_unknown(["git", "-C", str(PEER.parent), "describe", "--always", "--dirty"]),
        "cores": os.cpu_count(),
        "memory": memory,
        "system": f"{platform.system()} {platform.machine()}",
        "JDK": jdk,
        "torch": torch or "not used",
        "gRPC-java": grpc or "not used",
    }


def _or_unknown(command, setting=None):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_LIMIT, check=True)
    except (OSError, subprocess.SubprocessError):
        return "?"
    if setting is None:
        return done.stdout.strip()
    found = [line.split("=", 1)[1].strip() for line in done.stderr.splitlines() if line.strip().startswith(setting)]
    return found[0] if found else "?"


def command(side, group, hazelgrad, python):
    """Returns what runs a group on a side."""
    if side in (OURS, OPERATIONS):
        return [str(hazelgrad), "bench", group, "--json"]
    if side == GRPC:
        return [java(), "-cp", f"{GRPC_BENCH}/target/lib/*", str(GRPC_BENCH / "GrpcBench.java")]
    if WITHOUT_SHARED_MEMORY.get(group, group) == "ddp":
        return [python, str(DDP)]
    return [python, str(PEER), WITHOUT_SHARED_MEMORY.get(group, group), "--transport", TRANSPORTS[side]]


def variables(side):
    """Returns what a side needs in its environment."""
    if side != OPERATIONS:
        return {}
    options = os.environ.get("JAVA_TOOL_OPTIONS", "")
    return {"JAVA_TOOL_OPTIONS": f"{options} -Dhazelgrad.engine=operations".strip()}


def sides(group, python, grpc):
    """Returns what a group is measured on, in turn; ours alone without a Python that has torch and without gRPC."""
    there = [OURS]
    if group in CALLING:
        there.append(OPERATIONS)
    if python and group not in WITHOUT_SHARED_MEMORY:
        there.append(SHARED)
    if python and group not in ONE_WAY:
        there.append(TCP)
    if grpc and group == "latency":
        there.append(GRPC)
    return there


def measure(groups, rounds, hazelgrad, python, grpc, limit, accept):
    """Runs all groups in rounds, each on all sides in turn, and gives entries to accept().

    Returns whether all went well.
    """
    good = True
    for number in range(1, rounds + 1):
        for group in groups:
            for side in sides(group, python, grpc):
                where = {"round": number, "group": group, "side": side}
                print(f"round {number} of {rounds}, {group}, {side} ...", end=" ", file=sys.stderr, flush=True)
                start = time.monotonic()
                try:
                    _measure(command(side, group, hazelgrad, python), limit, where, accept)
                    print(f"{time.monotonic() - start:.0f} s", file=sys.stderr)
                except Failed as e:
                    good = False
                    accept({**where, "problem": str(e)})
                    print(e, file=sys.stderr)
    return good


def _measure(what, limit, where, accept):
    count = 0

    def on_line(line):
        nonlocal count
        try:
            figure = json.loads(line)
        except ValueError:
            return  # A warning of a library.
        if isinstance(figure, dict) and {"name", "params", "value", "unit"} <= figure.keys():
            count += 1
            accept({**where, "figure": figure})

    run(what, limit, on_line, **variables(where["side"]))
    if not count:
        raise Failed("it printed no figure")
    accept({**where, "done": count})
