"use strict";
const byId = id => document.getElementById(id);
const PERIOD = 1000;
let workers = [], handles = [], before = new Map(), chosen = null;
const troubles = new Map(), losses = new Map();
const rates = new Lines(byId("rates"), "calls served per second", 600, true);

const number = value => value === undefined || value === null ? "?" : value.toLocaleString("en-US");
const millis = nanos => nanos === undefined ? "?" : (nanos / 1e6).toFixed(nanos < 1e6 ? 3 : 1);
const bytes = value => {
  if (value === undefined) return "?";
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; value >= 1024 && unit < 4; unit++) value /= 1024;
  return value.toFixed(unit ? 1 : 0) + " " + units[unit];
};
const age = ms => ms < 0 ? "?" : ms < 60000 ? (ms / 1000).toFixed(0) + " s" : (ms / 60000).toFixed(0) + " min";
/** The class, method and line of a place in a program, without its package. */
const source = text => text.replace(/^made at (?:[a-z0-9_]+\.)*/, "");
const row = (cells, kind) => el("tr", kind ? {class: kind} : {}, ...cells.map(cell => el("td", {title: cell}, cell)));

function showWorkers(view) {
  workers = view.workers;
  const speeds = {};
  byId("workers").tBodies[0].replaceChildren(...workers.map(it => {
    const key = it.name + " " + it.id, last = before.get(key), f = it.figures; // An id alone may be too long for a number.
    if (!f) return row([it.name, "does not answer"], "silent");
    const speed = last ? Math.max(0, (it.served - last.served) * 1000 / (view.millis - last.millis)) : undefined;
    if (speed !== undefined) speeds[it.name] = speed;
    if (!last || view.millis > last.millis) before.set(key, {served: it.served, millis: view.millis});
    return row([it.name, speed === undefined ? "?" : speed.toFixed(1), millis(it.p50), millis(it.p99),
      number(Math.max(0, f["agent.server_active_calls"] - 1)), number(f["agent.server_queued_calls"]), number(it.served),
      number(it.failed), number(f["rref.num_owner_rrefs"]), bytes(f["rref.owned_bytes"]), number(f["rref.num_forks"]),
      number(f["rref.num_forgotten"]), bytes(f["agent.heap_used_bytes"]) + " of " + bytes(f["agent.heap_max_bytes"])]);
  }));
  if (Object.keys(speeds).length) rates.add(view.millis / 1000, speeds);
  byId("summary").textContent = `${workers.length} workers, ${view.clients.length} clients, `
    + new Date(view.millis).toLocaleTimeString();
  byId("clients").textContent = view.clients.map(it => it.name).join(", ") || "none";
}

function showReferences(view) {
  handles = view;
  const older = Number(byId("older").value);
  const shown = handles.filter(it => it.ageMillis >= older || (older === 0));
  drawReferences(byId("references"), workers.map(it => it.name), shown);
  byId("handles").textContent = `${shown.length} of ${handles.length} handles`;
  const groups = new Map();
  for (const it of shown) {
    const key = JSON.stringify([it.type, it.owner, it.holder, it.madeAt, it.state]);
    const group = groups.get(key) || {of: it, count: 0, bytes: 0, oldest: 0};
    groups.set(key, {of: it, count: group.count + 1, bytes: group.bytes + Math.max(0, it.bytes),
      oldest: Math.max(group.oldest, it.ageMillis)});
  }
  const sorted = [...groups.values()].sort((a, b) => b.count - a.count || b.oldest - a.oldest).slice(0, 30);
  byId("groups").tBodies[0].replaceChildren(...sorted.map(it => row([it.of.type || "?", it.of.owner, it.of.holder,
    source(it.of.madeAt), it.of.state, number(it.count), bytes(it.bytes), age(it.oldest)])));
}

function showJobs(view) {
  const place = byId("jobs");
  for (const job of view) {
    let known = losses.get(job.name);
    if (!known) {
      const text = el("p", {class: "muted"}), parts = el("p", {class: "muted"}), chart = el("div", {class: "chart"});
      const card = el("article", {}, el("h3", {}, job.name), text, parts, chart);
      place.append(card);
      known = {card, text, parts, lines: new Lines(chart, "loss by step", 2000, false), step: -1};
      losses.set(job.name, known);
    }
    const loss = typeof job.loss === "number" ? job.loss : null;
    known.text.textContent = `${job.phase}${job.message ? ": " + job.message : ""}, step ${job.step}`
      + (job.steps ? ` of ${job.steps}` : "") + `, epoch ${job.epoch}, loss ${loss === null ? "?" : loss.toFixed(4)}, `
      + `${job.rowsPerSecond.toFixed(0)} rows/s, trainers ${job.trainers.join(" ")}, ${job.restarts} restarts`;
    known.parts.textContent = "milliseconds of a step: "
      + Object.entries(job.milliseconds).sort().map(([name, value]) => `${name} ${value.toFixed(2)}`).join(", ");
    if (loss !== null && job.step > known.step) {
      known.lines.add(job.step, {loss});
      known.step = job.step;
    }
  }
  for (const [name, known] of losses) {
    if (!view.some(job => job.name === name)) { known.card.remove(); losses.delete(name); }
  }
  let none = byId("nojobs");
  if (!view.length && !none) place.append(el("p", {id: "nojobs", class: "muted"}, "none"));
  if (view.length && none) none.remove();
}

function showWhy(view) {
  const seconds = it => it.millis ? ` for ${(it.millis / 1000).toFixed(1)} s` : "";
  byId("findings").replaceChildren(...view.findings.map(it => el("article", {},
    el("h3", {class: it.kind === "WAIT" || it.kind === "STRAGGLER" ? "" : "bad"}, it.kind + seconds(it)),
    ...it.lines.map(line => el("p", {class: "line"}, line)))));
  if (!view.findings.length) byId("findings").append(el("p", {class: "muted"}, "nothing has waited for 2 s"));
  const part = (times, name) => (times.milliseconds[name] || 0).toFixed(2);
  byId("steps").hidden = !view.steps.length;
  byId("steps").tBodies[0].replaceChildren(...view.steps.map(({worker, times}) => row([times.training, worker,
    number(times.step), (times.millisSinceStep / 1000).toFixed(1) + " s ago",
    ...["data", "forward", "backward", "waiting", "transfer", "update", "program"].map(name => part(times, name))])));
}

const keyOf = pass => JSON.stringify([pass.context, pass.pass]);

function showPasses(view) {
  drawPasses(byId("passes"), view, Date.now(), pass => { chosen = keyOf(pass); showPasses(view); });
  const withTimes = view.filter(it => it.times.length);
  const pass = withTimes.find(it => keyOf(it) === chosen) || withTimes[0];
  byId("waves").parentElement.hidden = !pass;
  if (!pass) return;
  byId("wavesof").textContent = `waves of pass ${pass.pass} of ${pass.worker}, ${pass.milliseconds.toFixed(2)} ms`;
  byId("wavesof").title = "in context " + pass.context;
  drawWaves(byId("waves"), pass);
}

function poll(path, show) {
  const again = async () => {
    try {
      const answer = await fetch("/api/" + path);
      if (!answer.ok) throw new Error(await answer.text());
      show(await answer.json());
      troubles.delete(path);
    } catch (error) {
      troubles.set(path, `${path}: ${error.message}`);
    }
    byId("trouble").textContent = [...troubles.values()].join("; ");
    byId("trouble").hidden = !troubles.size;
    setTimeout(again, PERIOD);
  };
  again();
}

poll("workers", showWorkers);
poll("references", showReferences);
poll("passes", showPasses);
poll("jobs", showJobs);
poll("why", showWhy);
byId("older").addEventListener("change", () => showReferences(handles));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  for (const lines of [rates, ...[...losses.values()].map(it => it.lines)]) if (lines.plot) lines.draw();
});
