"""One table of joined figures, as text or as Markdown."""
from figures import SIDES, missing
from goals import verdict

HEAD = ["figure", "parameters", "unit", *SIDES.values(), "ratio", "better", "goal"]
NUMBERS = range(3, 3 + len(SIDES) + 1)


def number(value):
    """Three digits that count, without exponents."""
    if value is None:
        return "-"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    text = f"{value:.3g}"
    return text if "e" not in text else f"{value:.6f}"


def spread(median, values, rounds):
    """A median with the smallest and largest of the rounds, and how many if not all."""
    if median is None:
        return "-"
    few = "" if len(values) == rounds else f"; {len(values)} of {rounds}"
    if len(values) < 2:
        return number(median) + (f" ({few[2:]})" if few else "")
    return f"{number(median)} ({number(min(values))}..{number(max(values))}{few})"


def cells(row, rounds):
    """Returns a row's cells, as HEAD names them."""
    params = " ".join(f"{k}={v}" for k, v in sorted(row.params.items()))
    sides = [spread(row.median(side), row.of(side).values(), rounds) for side in SIDES]
    ratios = row.ratios()
    better = {True: "yes", False: "no", None: "-"}[row.is_better]
    return [row.name, params, row.unit, *sides, spread(row.ratio, ratios, len(ratios)), better, verdict(row)]


def rounds_of(rows):
    """The number of rounds that the figure with most of them has."""
    return max((len(values) for row in rows for values in row.values.values()), default=0)


def lines_of(rows):
    rounds = rounds_of(rows)
    return [cells(row, rounds) for row in rows]


def text(rows, entries):
    """The table with aligned columns, where it was measured, and what is missing."""
    table = [HEAD, *lines_of(rows)]
    widths = [max(len(line[i]) for line in table) for i in range(len(HEAD))]
    out = []
    for line in table:
        aligned = (c.rjust(w) if i in NUMBERS else c.ljust(w) for i, (c, w) in enumerate(zip(line, widths)))
        out.append("  ".join(aligned).rstrip())
    out += ["", *notes(rows, entries)]
    return "\n".join(out) + "\n"


def markdown(rows, entries):
    """The same as Markdown."""
    rule = ["---:" if i in NUMBERS else "---" for i in range(len(HEAD))]
    table = [HEAD, rule, *lines_of(rows)]
    out = ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in table]
    out += ["", *(f"- {note}" for note in notes(rows, entries))]
    return "\n".join(out) + "\n"


def notes(rows, entries):
    """Lines that say how to read the table, where it was measured, and what is missing."""
    rounds = rounds_of(rows)
    out = [
        f"Medians over {rounds} round{'' if rounds == 1 else 's'} (smallest..largest). The ratio is ours over the best of the others';"
        " better says whether that is in our favour: below 1 for times and sizes, above 1 for rates.",
    ]
    verdicts = [verdict(row) for row in rows]
    if any(verdicts):
        counts = (f"{sum(v.count(': ' + what) for v in verdicts)} {what}" for what in ("met", "missed", "unknown"))
        out.append("goals: " + ", ".join(counts))
    for entry in entries:
        if "machine" in entry:
            out.append("; ".join(f"{k}: {v}" for k, v in entry["machine"].items()))
    loads = [entry["figure"]["load1"] for entry in entries if "load1" in entry.get("figure", {})]
    if loads:
        out.append(f"load average while measuring: {min(loads):.1f} to {max(loads):.1f}, the benchmarks' own included")
    out += ["missing: " + line for line in missing(entries)]
    return out
