// @ts-check
// The rate limit: its mode, and the remaining calls of each address.

import { button } from "./act.js";
import { get, loading } from "./api.js";
import { badge, counted, el, patchTable, setText, table, value } from "./dom.js";

const MODES = /** @type {[string, string, string][]} */ ([["enforce", "Enforce", "Calls beyond it are refused with 429."],
  ["observe", "Observe", "Calls beyond it are counted and served."], ["off", "Off", "Nothing is counted."]]);

/** @param {HTMLElement} main */
export function openLimit(main) {
  const list = table("Calls in the window, by address", ["Address", "Calls in the window", "Left", ""], "",
    "No address called within the window.");
  const state = el("p", { class: "subtitle" }, "…");
  const modes = MODES.map(([mode, label, title]) => button({ label, method: "PUT", path: "rate_limit", body: { mode }, title, done: draw }));
  main.append(el("h1", {}, "Rate limit"), el("section", { class: "card" }, state, el("div", { class: "buttons" }, modes,
    button({ label: "Reset all counts", method: "PUT", path: "rate_limit", body: { reset: true }, done: draw }),
    button({ label: "Use up every window", method: "PUT", path: "rate_limit", body: { exhaust: "all" }, name: "danger", done: draw }))), list.whole, list.empty);

  /** @param {any} found */
  function draw(found) {
    setText(state, `${found.calls_max} calls in ${found.window_seconds} s for each address (${found.window} window). ${MODES.find(([mode]) => mode === found.mode)?.[2] ?? ""}`);
    modes.forEach((one, at) => one.setAttribute("aria-pressed", String(MODES[at][0] === found.mode)));
    patchTable(list, found.clients, (/** @type {any} */ one) => one.client, (/** @type {any} */ one) => row(one, found.calls_max), (element, one) => {
      const meter = /** @type {HTMLMeterElement} */ (element.querySelector("meter"));
      meter.value = one.counted;
      setText(/** @type {Element} */ (element.querySelector(".counted")), counted(one.counted, "call"));
      element.children[2].replaceChildren(leftBadge(Math.max(0, found.calls_max - one.counted), found.calls_max));
    });
  }

  /** @param {any} one @param {number} max */
  function row(one, max) {
    return el("tr", { "data-row": true }, el("td", {}, value(one.client)),
      el("td", {}, el("meter", { min: 0, max, value: one.counted, "aria-label": `Calls of ${one.client}` }), " ", el("span", { class: "counted" })),
      el("td", {}), el("td", { class: "end" }, button({ label: "Use up", method: "PUT", path: "rate_limit", body: { exhaust: one.client }, done: draw })));
  }

  function load() {
    return loading(async () => draw(await get("rate_limit")));
  }

  load();
  const timer = setInterval(load, 1000);
  return { changed: load, kinds: ["exchange", "change", "reset", "hello"], close: () => clearInterval(timer) };
}

/** The remaining calls as a badge. @param {number} left @param {number} max */
function leftBadge(left, max) {
  if (left === 0) return badge("bad", "✕", "none left");
  return left < max / 5 ? badge("warn", "▲", `${left} left`) : badge("good", "✓", `${left} left`);
}
