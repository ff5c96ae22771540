// @ts-check
// The clock of the world: what time it is, what falls due, and moving it.

import { button } from "./act.js";
import { get, notice, reason } from "./api.js";
import { badge, dateTime, duration, el, patch, setText, table, value } from "./dom.js";

const STEPS = /** @type {[string, number][]} */ ([["+ 1 min", 60], ["+ 1 h", 3600], ["+ 1 d", 86400], ["+ 7 d", 604800]]);
const SIGNS = /** @type {Record<string, string[]>} */ ({ transition: ["accent", "◆"], expiry: ["bad", "✕"], delivery: ["plain", "↗"] });

/** @param {HTMLElement} main */
export function openClock(main) {
  const time = el("p", { class: "big", id: "now" }, "…");
  const state = el("span", {});
  const fired = el("div", { role: "status" });
  const freeze = el("span", {});
  const { whole, body } = table("What falls due", ["When", "In", "Kind", "What", ""]);
  const empty = el("p", { class: "empty", hidden: true }, "Nothing falls due by itself.");
  let isFrozen = /** @type {boolean | null} */ (null);

  const move = (/** @type {string} */ label, /** @type {any} */ body, name = "") =>
    button({ label, method: "POST", path: "clock", body, name, done: moved });
  main.append(el("h1", {}, "Clock"),
    el("section", { class: "card" }, el("div", { class: "inline" }, time, state),
      el("div", { class: "buttons" }, STEPS.map(([label, seconds]) => move(label, { advance_seconds: seconds })),
        move("To the next thing due", { next: true }, "primary"), freeze), fired),
    el("h2", {}, "What falls due"), whole, empty);

  /** @param {any} answer */
  function moved(answer) {
    const happened = [...answer.fired.map((/** @type {any} */ one) => `${one.kind} ${one.id}: ${one.detail}`),
      ...(answer.attempts ?? []).map((/** @type {any} */ one) => `delivery ${one.delivery}: ${one.status ?? one.error}`)];
    fired.replaceChildren(el("p", { class: "muted" }, happened.length > 0 ? "Happened on the way:" : "Nothing fell due on the way."),
      el("ul", {}, happened.map((text) => el("li", {}, value(text)))));
    load();
  }

  async function load() {
    try {
      const found = await get("timers?limit=200");
      notice("");
      setText(time, dateTime(found.now));
      if (found.frozen !== isFrozen) {
        isFrozen = found.frozen;
        state.replaceChildren(found.frozen ? badge("accent", "❄", "stands still") : badge("good", "▶", "runs"));
        freeze.replaceChildren(found.frozen ? move("Let it run", { freeze: false }) : move("Freeze", { freeze: true }));
      }
      whole.hidden = found.timers.length === 0;
      empty.hidden = found.timers.length > 0;
      patch(body, found.timers, (/** @type {any} */ one) => `${one.kind} ${one.id} ${one.at}`, row,
        (element, one) => setText(/** @type {Element} */ (element.children[1]), duration(one.in_seconds)));
    } catch (error) {
      notice(reason(error));
    }
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
