// @ts-check
// The rate limit: how much of it each address has left.

import { button } from "./act.js";
import { get, notice, reason } from "./api.js";
import { badge, el, patch, setText, table, value } from "./dom.js";

const MODES = /** @type {[string, string, string][]} */ ([["enforce", "Enforce", "Calls beyond it are refused with 429."],
  ["observe", "Observe", "Calls beyond it are counted and served."], ["off", "Off", "Nothing is counted."]]);

/** @param {HTMLElement} main */
export function openLimit(main) {
  const { whole, body } = table("Calls in the window, by address", ["Address", "Calls in the window", "Left", ""]);
  const state = el("p", { class: "subtitle" }, "…");
  const empty = el("p", { class: "empty", hidden: true }, "No address called within the window.");
  const modes = MODES.map(([mode, label, title]) => button({ label, method: "PUT", path: "rate_limit", body: { mode }, title, done: draw }));
  main.append(el("h1", {}, "Rate limit"), el("section", { class: "card" }, state, el("div", { class: "buttons" }, modes,
    button({ label: "Forget all counts", method: "PUT", path: "rate_limit", body: { reset: true }, done: draw }),
    button({ label: "Use up every window", method: "PUT", path: "rate_limit", body: { exhaust: "all" }, name: "danger", done: draw }))), whole, empty);

  /** @param {any} found */
  function draw(found) {
    setText(state, `${found.calls_max} calls in ${found.window_seconds} s for each address (${found.window} window). ${MODES.find(([mode]) => mode === found.mode)?.[2] ?? ""}`);
    modes.forEach((one, at) => one.setAttribute("aria-pressed", String(MODES[at][0] === found.mode)));
    whole.hidden = found.clients.length === 0;
    empty.hidden = found.clients.length > 0;
    patch(body, found.clients, (/** @type {any} */ one) => one.client, (/** @type {any} */ one) => row(one, found.calls_max), (element, one) => {
      const left = Math.max(0, found.calls_max - one.counted);
      const meter = /** @type {HTMLMeterElement} */ (element.querySelector("meter"));
      meter.value = one.counted;
      setText(/** @type {Element} */ (element.querySelector(".counted")), String(one.counted));
      element.children[2].replaceChildren(left === 0 ? badge("bad", "✕", "none") : badge(left < found.calls_max / 5 ? "warn" : "good", left < found.calls_max / 5 ? "▲" : "✓", String(left)));
    });
  }

  /** @param {any} one @param {number} max */
  function row(one, max) {
    return el("tr", { "data-row": true }, el("td", {}, value(one.client)),
      el("td", {}, el("meter", { min: 0, max, value: one.counted, "aria-label": `Calls of ${one.client}` }), " ", el("span", { class: "counted" })),
      el("td", {}), el("td", { class: "end" }, button({ label: "Use up", method: "PUT", path: "rate_limit", body: { exhaust: one.client }, done: draw })));
  }

  async function load() {
    try {
      draw(await get("rate_limit"));
      notice("");
    } catch (error) {
      notice(reason(error));
    }
  }

  load();
  const timer = setInterval(load, 1000);
  return { changed: load, kinds: ["exchange", "change", "reset", "hello"], close: () => clearInterval(timer) };
}
