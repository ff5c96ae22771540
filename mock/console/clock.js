// @ts-check
// The clock of the world: its time, the timers, and buttons that move it.

import { button } from "./act.js";
import { get, loading } from "./api.js";
import { badge, dateTime, duration, el, patchTable, setText, table, value } from "./dom.js";

const STEPS = /** @type {[string, number][]} */ ([["+ 1 min", 60], ["+ 1 h", 3600], ["+ 1 d", 86400], ["+ 7 d", 604800]]);
const SIGNS = /** @type {Record<string, string[]>} */ ({ transition: ["accent", "◆"], expiry: ["bad", "✕"], delivery: ["plain", "↗"] });

/** @param {HTMLElement} main */
export function openClock(main) {
  const time = el("p", { class: "big", id: "now" }, "…");
  const state = el("span", {});
  const fired = el("div", { role: "status" });
  const freeze = el("span", {});
  const timers = table("Timers", ["When", "In", "Kind", "What", ""], "", "There are no timers.");
  let isFrozen = /** @type {boolean | null} */ (null);

  const move = (/** @type {string} */ label, /** @type {any} */ body, name = "") =>
    button({ label, method: "POST", path: "clock", body, name, done: moved });
  main.append(el("h1", {}, "Clock"),
    el("section", { class: "card" }, el("div", { class: "inline" }, time, state),
      el("div", { class: "buttons" }, STEPS.map(([label, seconds]) => move(label, { advance_seconds: seconds })),
        move("To the next timer", { next: true }, "primary"), freeze), fired),
    el("h2", {}, "Timers"), timers.whole, timers.empty);

  /** @param {any} result */
  function moved(result) {
    const happened = [...result.fired.map((/** @type {any} */ one) => `${one.kind} ${one.id}: ${one.detail}`),
      ...(result.attempts ?? []).map((/** @type {any} */ one) => `delivery ${one.delivery}: ${one.status ?? one.error}`)];
    fired.replaceChildren(el("p", { class: "muted" }, happened.length > 0 ? "Fired on the way:" : "No timer fired on the way."),
      el("ul", {}, happened.map((text) => el("li", {}, value(text)))));
    load();
  }

  function load() {
    return loading(async () => {
      const found = await get("timers?limit=200");
      setText(time, dateTime(found.now));
      if (found.frozen !== isFrozen) {
        isFrozen = found.frozen;
        state.replaceChildren(found.frozen ? badge("accent", "❄", "frozen") : badge("good", "▶", "runs"));
        freeze.replaceChildren(found.frozen ? move("Let it run", { freeze: false }) : move("Freeze", { freeze: true }));
      }
      patchTable(timers, found.timers, (/** @type {any} */ one) => `${one.kind} ${one.id} ${one.at}`, row,
        (element, one) => setText(/** @type {Element} */ (element.children[1]), duration(one.in_seconds)));
    });
  }

  /** @param {any} one */
  function row(one) {
    const [name, sign] = SIGNS[one.kind] ?? ["plain", "·"];
    const href = one.kind === "delivery" ? `#/deliveries/${one.id}` : `#/requests/${encodeURIComponent(one.id)}`;
    return el("tr", { "data-row": true }, el("td", { class: "when" }, dateTime(one.at)), el("td", {}), el("td", {}, badge(name, sign, one.kind)),
      el("td", {}, el("a", { href, "data-open": true }, one.id), " ", value(one.detail)),
      el("td", { class: "end" }, move("Go there", { set: one.at })));
  }

  load();
  const timer = setInterval(load, 1000);
  return { changed: load, kinds: ["change", "clock", "delivery", "reset", "hello"], close: () => clearInterval(timer) };
}
