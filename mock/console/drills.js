// @ts-check
// The drills of a client: their progress, the end of each drill with its reason, and the grade.

import { button } from "./act.js";
import { get, loading } from "./api.js";
import { badge, counted, el, patch, replace, setText, table, value } from "./dom.js";

const SIGNS = /** @type {Record<string, string[]>} */ ({
  waiting: ["plain", "·"], running: ["accent", "●"], held: ["good", "✓"], failed: ["bad", "✕"], not_reached: ["warn", "▲"],
  disturbed: ["warn", "!"], not_observable: ["plain", "–"], not_applicable: ["plain", "–"],
});
const GRADES = /** @type {Record<string, string[]>} */ ({
  ready: ["good", "✓"], ready_with_remarks: ["warn", "▲"], inconclusive: ["warn", "▲"], not_ready: ["bad", "✕"],
});

/** @param {HTMLElement} main */
export function openDrills(main) {
  const head = el("section", { class: "card" });
  const { whole, body } = table("Drills", ["Drill", "End", "Why", "Calls", ""], "drills");
  main.append(el("h1", {}, "Drills"), head, whole);

  function load() {
    return loading(async () => draw(await get("drill_run")));
  }

  /** @param {any} run */
  function draw(run) {
    const drills = /** @type {any[]} */ (run.drills);
    whole.hidden = drills.length === 0;
    replace(head, run.state === "none" ? howToStart() : summary(run));
    if (canStart(run)) head.append(el("div", { class: "buttons" }, start("Run all again")));
    patch(body, drills, (one) => `${one.drill} ${one.state} ${run.state}`, (one) => row(one, run), update);
  }

  /** @param {string} label @param {string[]} [only] */
  function start(label, only) {
    return button({ label, method: "POST", path: "drill_run", body: only ? { only } : undefined, done: draw });
  }

  /** @param {any} one @param {any} run */
  function row(one, run) {
    const [name, sign] = SIGNS[one.state] ?? ["plain", "·"];
    const state = run.state === "ended" && one.state === "waiting" ? "not run" : words(one.state);
    return el("tr", { "data-row": true }, el("td", {}, el("code", {}, one.drill), el("span", { class: "operation" }, one.title)),
      el("td", {}, badge(name, sign, state)), el("td", { class: "reason" }, one.why ? value(one.why) : "–"),
      el("td", { class: "calls-of" }), el("td", { class: "end" }, canStart(run) ? start("Run again", [one.drill]) : null));
  }

  load();
  return { changed: load, kinds: ["tick"], close() {} };
}

/** Instructions for a mock that does not know the command of the client. */
function howToStart() {
  return [
    el("p", {}, "A drill runs the tests of your client in one difficult situation, such as a lost response. This command runs all drills, and shows them in another console:"),
    el("p", {}, el("code", {}, "moot drill --console -- CMD")),
    el("p", { class: "muted" }, "CMD runs your tests. They find the mock by the variable MOOT_BASE_URL."),
  ];
}

/** @param {any} run */
function summary(run) {
  const ended = run.drills.filter((/** @type {any} */ one) => one.state !== "waiting" && one.state !== "running");
  const ends = new Map();
  for (const one of ended) ends.set(one.state, (ends.get(one.state) ?? 0) + 1);
  const counts = [...ends].map(([state, count]) => badge(SIGNS[state]?.[0] ?? "plain", SIGNS[state]?.[1] ?? "·", `${count} ${words(state)}`));
  const [name, sign] = GRADES[run.grade] ?? ["accent", "●"];
  const grade = run.state === "ended" ? ["The client is graded ", badge(name, sign, words(run.grade))] : [`${ended.length} of ${run.drills.length} ended`];
  const reasons = run.reasons.map((/** @type {string} */ text) => el("li", {}, value(text)));
  return [
    el("p", { class: "grade", role: "status" }, grade),
    run.state === "ended" ? null : el("progress", { max: run.drills.length, value: ended.length, "aria-label": "Drills that ended" }),
    el("p", { class: "inline" }, counts),
    reasons.length > 0 ? el("ul", {}, reasons) : null,
  ];
}

/** Whether the page may start drills now. @param {any} run */
function canStart(run) {
  return run.can_start && run.state === "ended";
}

/** Updates the number of calls of a drill. @param {HTMLElement} element @param {any} one */
function update(element, one) {
  const cell = /** @type {HTMLElement} */ (element.querySelector(".calls-of"));
  if (cell.dataset.count === String(one.calls)) return;
  cell.dataset.count = String(one.calls);
  const link = cell.querySelector("a");
  if (link && one.calls > 0) {
    setText(link, counted(one.calls, "call"));
    return;
  }
  const met = (one.state === "not_applicable" ? [] : one.met_by.slice(0, 6)).flatMap((/** @type {number} */ serial) => [" ", el("a", { href: `#/calls/${serial}` }, String(serial))]);
  const calls = one.calls === null ? "–" : one.calls === 0 ? "none"
    : el("a", { href: `#/calls?drill=${encodeURIComponent(one.drill)}`, "data-open": true }, counted(one.calls, "call"));
  replace(cell, calls, met.length > 0 ? el("span", { class: "operation" }, "disturbed", met) : null);
}

/** @param {string} state */
function words(state) {
  return state.replaceAll("_", " ");
}
