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

/** Draws the passes on a time line, one row for each worker that took part. */
function drawPasses(svg, passes, now) {
  const names = [...new Set(passes.flatMap(it => it.workers))].sort();
  const left = 130, width = svg.clientWidth || 800, row = 26;
  svg.setAttribute("height", Math.max(1, names.length) * row + 26);
  if (!passes.length) {
    svg.replaceChildren(el("svg:text", {x: 0, y: 18, class: "muted"}, "no passes within the last hour"));
    return;
  }
  const end = it => it.milliseconds === null ? Math.max(now, it.started + 1) : it.started + it.milliseconds;
  const from = Math.min(...passes.map(it => it.started)), to = Math.max(...passes.map(end), from + 1);
  const x = t => left + (t - from) / (to - from) * (width - left - 12);
  const parts = names.flatMap((name, i) => [
    el("svg:text", {x: 0, y: i * row + 17}, short(name)),
    el("svg:line", {x1: left, x2: width - 12, y1: i * row + 13, y2: i * row + 13, class: "row"})]);
  for (const pass of passes) {
    for (const name of pass.workers) {
      parts.push(el("svg:rect", {x: x(pass.started), y: names.indexOf(name) * row + 5,
        width: Math.max(2, x(end(pass)) - x(pass.started)), height: 16, rx: 2, class: "pass " + pass.state},
        el("svg:title", {}, `pass ${pass.pass} of ${pass.worker}: ${pass.waves} waves, ${pass.messages} messages, `
          + (pass.milliseconds === null ? "running" : `${pass.milliseconds.toFixed(1)} ms`)
          + (pass.error ? `, ${pass.error}` : ""))));
    }
  }
  const y = names.length * row + 16;
  parts.push(el("svg:text", {x: left, y, class: "muted"}, new Date(from).toLocaleTimeString()),
    el("svg:text", {x: width - 12, y, "text-anchor": "end", class: "muted"}, new Date(to).toLocaleTimeString()));
  svg.replaceChildren(...parts);
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
