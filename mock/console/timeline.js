// @ts-check
// The time line of a legal request as a picture of calls, statuses and deliveries, and the same as a table.

import { clockTime, cut, dateTime, el, statusBadge, svg, table, value } from "./dom.js";

const WIDTH = 960;
const LEFT = 92;
const RIGHT = 24;
const LANES = { calls: 34, statuses: 84, deliveries: 134 };
const NAMES = { calls: "call", statuses: "activity log", deliveries: "delivery" };
const HEIGHT = 176;
/** The smallest distance of two marks. */
const GAP = 11;
const TITLE_LENGTH_MAX = 200;

/** @typedef {{ at: string, lane: "calls" | "statuses" | "deliveries", name: string, tone: string, href?: string, detail: string }} Mark */

/** @param {any} found @param {any[]} calls @param {any[]} deliveries */
export function timeLine(found, calls, deliveries) {
  const marks = [...calls.map(ofCall), ...found.activity.map(ofActivity), ...deliveries.flatMap(ofDelivery)];
  marks.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  if (marks.length === 0) return el("p", { class: "muted" }, "Nothing happened yet.");
  return el("div", {}, el("div", { class: "picture", tabindex: "0", role: "region", "aria-label": "Picture of the time line" }, picture(marks)), asTable(marks));
}

/** @param {any} one @returns {Mark} */
function ofCall(one) {
  const tone = one.status < 300 ? "good" : one.status < 500 ? "warn" : "bad";
  return { at: one.at, lane: "calls", name: `${one.method} ${one.status}`, tone, href: `#/calls/${one.serial}`, detail: `${one.method} ${one.path}: ${one.status}` };
}

/** @param {any} entry @returns {Mark} */
function ofActivity(entry) {
  const { action, description, comment, created_at: at } = entry.attributes;
  return { at, lane: "statuses", name: description, tone: action === "comment" ? "plain" : "accent", detail: [description, comment].filter(Boolean).join(": ") };
}

/** @param {any} delivery @returns {Mark[]} */
function ofDelivery(delivery) {
  const attempts = delivery.attempts.map((/** @type {any} */ attempt) => {
    const isGood = attempt.status >= 200 && attempt.status < 300;
    const result = attempt.status ?? attempt.error ?? "no response";
    return { at: attempt.at, name: String(attempt.status ?? "no response"), tone: isGood ? "good" : "bad", detail: `${delivery.event}: ${result}` };
  });
  if (delivery.next_attempt_at) {
    attempts.push({ at: delivery.next_attempt_at, name: "queued", tone: "plain", detail: `${delivery.event}: next attempt` });
  }
  return attempts.map((/** @type {any} */ mark) => ({ ...mark, lane: "deliveries", href: `#/deliveries/${delivery.id}` }));
}

/** @param {Mark[]} marks */
function picture(marks) {
  const first = Date.parse(marks[0].at);
  const last = Date.parse(marks[marks.length - 1].at);
  const place = (/** @type {string} */ at) =>
    last === first ? LEFT + 30 : LEFT + 12 + ((Date.parse(at) - first) / (last - first)) * (WIDTH - LEFT - RIGHT - 24);
  const lanes = /** @type {(keyof typeof LANES)[]} */ (Object.keys(LANES));
  const drawn = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${marks.length} events; the table below lists them` });
  for (const lane of lanes) {
    drawn.append(svg("line", { class: "lane", x1: LEFT, x2: WIDTH - RIGHT, y1: LANES[lane], y2: LANES[lane] }),
      svg("text", { class: "lane-name", x: 0, y: LANES[lane] + 4 }, lane));
    let taken = 0;
    let labelled = 0;
    for (const mark of marks.filter((one) => one.lane === lane)) {
      const x = Math.min(WIDTH - RIGHT, Math.max(place(mark.at), taken + GAP));
      taken = x;
      drawn.append(shape(mark, x, LANES[lane]));
      const width = mark.name.length * 6.6;
      if (x - 4 >= labelled && x + width < WIDTH) {
        drawn.append(svg("text", { class: "mark-name", x: x - 4, y: LANES[lane] - 12 }, mark.name));
        labelled = x + width + 8;
      }
    }
  }
  drawn.append(svg("text", { class: "lane-name", x: LEFT, y: HEIGHT - 8 }, clockTime(marks[0].at)),
    svg("text", { class: "lane-name end", x: WIDTH - RIGHT, y: HEIGHT - 8 }, last === first ? "" : clockTime(marks[marks.length - 1].at)));
  return drawn;
}

/** A circle for a call, a diamond for a status, a square for a delivery. @param {Mark} mark @param {number} x @param {number} y */
function shape(mark, x, y) {
  const title = svg("title", {}, cut(`${dateTime(mark.at)} ${mark.detail}`, TITLE_LENGTH_MAX));
  const name = `mark ${mark.tone}`;
  if (mark.lane === "calls") return svg("circle", { class: name, cx: x, cy: y, r: 5 }, title);
  if (mark.lane === "statuses") return svg("path", { class: name, d: `M${x} ${y - 7}l7 7-7 7-7-7z` }, title);
  return svg("rect", { class: name, x: x - 5, y: y - 5, width: 10, height: 10, rx: 1 }, title);
}

/** @param {Mark[]} marks */
function asTable(marks) {
  const { whole, body } = table("Events in the order of time", ["Time", "What", "Detail"]);
  body.append(...marks.map((mark) => el("tr", {}, el("td", { class: "when" }, dateTime(mark.at)),
    el("td", {}, NAMES[mark.lane]),
    el("td", {}, mark.href ? el("a", { href: mark.href }, value(mark.detail)) : value(mark.detail)))));
  return whole;
}
