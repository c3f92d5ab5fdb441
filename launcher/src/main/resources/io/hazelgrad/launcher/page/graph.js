"use strict";
// Drawing. All text goes through textContent, so a name from another process is never markup.
const SVG = "http://www.w3.org/2000/svg";

function el(tag, attributes, ...children) {
  const made = tag.startsWith("svg:") ? document.createElementNS(SVG, tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  for (const child of children) made.append(child instanceof Node ? child : document.createTextNode(String(child)));
  return made;
}

function css(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
function short(name) { return name.length > 24 ? name.slice(0, 23) + "…" : name; }

/** Draws the workers in a circle, and an arc from each holder to each owner. */
function drawReferences(svg, workers, handles) {
  const width = svg.clientWidth || 800, height = 260, cx = width / 2, cy = height / 2 - 6;
  svg.setAttribute("height", height);
  const names = [...new Set([...workers, ...handles.flatMap(it => [it.owner, it.holder])])];
  const place = new Map(names.map((name, i) => {
    const angle = 2 * Math.PI * i / Math.max(1, names.length) - Math.PI / 2;
    return [name, {x: cx + Math.min(cx - 110, 320) * Math.cos(angle), y: cy + 92 * Math.sin(angle)}];
  }));
  const edges = new Map();
  for (const it of handles) {
    const key = JSON.stringify([it.holder, it.owner]);
    edges.set(key, (edges.get(key) || 0) + 1);
  }
  const parts = [];
  for (const [key, count] of edges) {
    const [holder, owner] = JSON.parse(key), a = place.get(holder), b = place.get(owner);
    const bend = holder === owner
      ? `M${a.x - 8},${a.y} C${a.x - 46},${a.y - 56} ${a.x + 46},${a.y - 56} ${a.x + 8},${a.y}`
      : `M${a.x},${a.y} Q${(a.x + b.x) / 2 + (b.y - a.y) * .18},${(a.y + b.y) / 2 - (b.x - a.x) * .18} ${b.x},${b.y}`;
    parts.push(el("svg:path", {d: bend, class: "edge", "stroke-width": Math.min(9, 1 + Math.log2(count + 1))},
      el("svg:title", {}, `${holder} holds ${count} of ${owner}`)));
    const mx = holder === owner ? a.x : (a.x + b.x) / 2 + (b.y - a.y) * .09;
    const my = holder === owner ? a.y - 46 : (a.y + b.y) / 2 - (b.x - a.x) * .09;
    parts.push(el("svg:text", {x: mx, y: my, "text-anchor": "middle", class: "count"}, count));
  }
  for (const [name, at] of place) {
    parts.push(el("svg:circle", {cx: at.x, cy: at.y, r: 9, class: "node"}));
    parts.push(el("svg:text", {x: at.x, y: at.y + 24, "text-anchor": "middle"}, short(name)));
  }
  svg.replaceChildren(...parts);
}

/** Draws bars in a row for each worker, from a time to another; each bar has a worker, start, end, class and title. */
function drawRows(svg, names, bars, from, to, labels) {
  const left = 130, width = svg.clientWidth || 800, row = 26;
  const x = t => left + (t - from) / (to - from) * (width - left - 12);
  svg.setAttribute("height", names.length * row + 26);
  const y = names.length * row + 16;
  svg.replaceChildren(
    ...names.flatMap((name, i) => [
      el("svg:text", {x: 0, y: i * row + 17}, short(name)),
      el("svg:line", {x1: left, x2: width - 12, y1: i * row + 13, y2: i * row + 13, class: "row"})]),
    ...bars.map(it => {
      const bar = el("svg:rect", {x: x(it.start), y: names.indexOf(it.worker) * row + 5, width: Math.max(2, x(it.end) - x(it.start)),
        height: 16, rx: 2, class: it.kind}, el("svg:title", {}, it.title));
      if (it.choose) bar.addEventListener("click", it.choose);
      return bar;
    }),
    el("svg:text", {x: left, y, class: "muted"}, labels[0]),
    el("svg:text", {x: width - 12, y, "text-anchor": "end", class: "muted"}, labels[1]));
}

const endOf = (it, now) => it.milliseconds === null ? Math.max(now, it.started + 1) : it.started + it.milliseconds;
const namesOf = passes => [...new Set(passes.flatMap(it => [...it.workers, ...it.times.map(time => time.worker)]))].sort();

/** Draws the passes on a time line, one row for each worker that took part. */
function drawPasses(svg, passes, now, choose) {
  if (!passes.length) {
    svg.setAttribute("height", 26);
    svg.replaceChildren(el("svg:text", {x: 0, y: 18, class: "muted"}, "no passes within the last hour"));
    return;
  }
  const from = Math.min(...passes.map(it => it.started)), to = Math.max(...passes.map(it => endOf(it, now)), from + 1);
  const bars = passes.flatMap(pass => pass.workers.map(worker => ({worker, start: pass.started, end: endOf(pass, now),
    kind: "pass " + pass.state, choose: () => choose(pass),
    title: `pass ${pass.pass} of ${pass.worker}: ${pass.waves} waves, ${pass.messages} messages, `
      + (pass.milliseconds === null ? "running" : `${pass.milliseconds.toFixed(1)} ms`) + (pass.error ? `, ${pass.error}` : "")})));
  drawRows(svg, namesOf(passes), bars, from, to, [new Date(from).toLocaleTimeString(), new Date(to).toLocaleTimeString()]);
}

/** Draws when each worker computed in which wave of a pass that has ended. */
function drawWaves(svg, pass) {
  const end = it => it.started + it.milliseconds;
  const from = Math.min(pass.started, ...pass.times.map(it => it.started)), to = Math.max(end(pass), ...pass.times.map(end), from + 1e-3);
  const bars = pass.times.map(it => ({worker: it.worker, start: it.started, end: end(it), kind: "wave s" + it.wave % 6,
    title: `wave ${it.wave} on ${it.worker}: ${it.milliseconds.toFixed(3)} ms, begun after ${(it.started - from).toFixed(3)} ms`}));
  drawRows(svg, namesOf([pass]), bars, from, to, ["0 ms", (to - from).toFixed(3) + " ms"]);
}

/** A chart of lines over time that grows by one point at a time. */
class Lines {
  constructor(at, title, most, isTime) { this.at = at; this.title = title; this.most = most; this.isTime = isTime; this.names = []; this.data = [[]]; }

  add(x, values) {
    const names = [...new Set([...this.names, ...Object.keys(values)])];
    for (let i = this.names.length; i < names.length; i++) this.data.push(this.data[0].map(() => null));
    const isNew = names.length !== this.names.length || !this.plot;
    this.names = names;
    this.data[0].push(x);
    names.forEach((name, i) => this.data[i + 1].push(name in values ? values[name] : null));
    if (this.data[0].length > this.most) this.data.forEach(column => column.shift());
    if (isNew) this.draw(); else this.plot.setData(this.data);
  }

  draw() {
    if (this.plot) this.plot.destroy();
    const axis = {stroke: css("--muted"), grid: {stroke: css("--line"), width: 1}, ticks: {stroke: css("--line")}};
    this.plot = new uPlot({title: this.title, width: Math.max(320, this.at.clientWidth - 8), height: 170, scales: {x: {time: this.isTime}},
      axes: [axis, {...axis, size: 62}],
      series: [this.isTime ? {} : {label: "step"}, ...this.names.map((name, i) => ({label: short(name), stroke: css("--s" + i % 6), width: 2, spanGaps: true}))]},
      this.data, this.at);
  }
}
