// @ts-check
// The sandboxes of this mock: worlds of their own, each with its own console.

import { button } from "./act.js";
import { get, notice, reason } from "./api.js";
import { badge, duration, el, patch, setText, table, value } from "./dom.js";

/** Sandboxes whose lease is asked for. */
const DETAILS_MAX = 50;

/** @param {HTMLElement} main */
export function openSandboxes(main) {
  const { whole, body } = table("Sandboxes", ["Sandbox", "Base address", "Clock", "Lease", "Seed", ""]);
  const empty = el("p", { class: "empty", hidden: true }, "There is no sandbox. A test makes one with POST /__admin/sandboxes.");
  main.append(el("h1", {}, "Sandboxes"), el("section", { class: "card" }, el("p", {}, "A sandbox is a world of its own below this one, for one test."),
    el("div", { class: "buttons" }, button({ label: "New sandbox", method: "POST", path: "sandboxes", body: { lease_seconds: 3600 }, name: "primary", done: load }))), whole, empty);

  async function load() {
    try {
      const found = await get("sandboxes");
      notice("");
      const all = found.sandboxes.slice().reverse();
      whole.hidden = all.length === 0;
      empty.hidden = all.length > 0;
      patch(body, all, (/** @type {any} */ one) => one.id, row);
      for (const one of all.slice(0, DETAILS_MAX)) lease(one.id);
    } catch (error) {
      notice(reason(error));
    }
  }

  /** @param {any} one */
  function row(one) {
    const link = el("a", { href: `../../sandboxes/${encodeURIComponent(one.id)}/__admin/console/`, "data-open": true }, one.id);
    return el("tr", { "data-row": true }, el("td", { class: "serial" }, link), el("td", {}, el("code", {}, value(one.base_url))), el("td", { class: "when" }),
      el("td", {}), el("td", { class: "when" }, String(one.seed)), el("td", { class: "end" }, el("span", { class: "buttons" },
        button({ label: "Renew", method: "POST", path: `sandboxes/${encodeURIComponent(one.id)}/renew`, body: {}, done: load }),
        button({ label: "Delete", method: "DELETE", path: `sandboxes/${encodeURIComponent(one.id)}`, name: "danger", done: load }))));
  }

  /** @param {string} id */
  async function lease(id) {
    const found = await get(`sandboxes/${encodeURIComponent(id)}`).catch(() => null);
    const element = found && body.querySelector(`[data-key="${CSS.escape(id)}"]`);
    if (!element) return;
    const left = found.lease_ends_in_seconds;
    element.children[2].replaceChildren(found.clock.frozen ? badge("accent", "❄", "stands still") : badge("good", "▶", "runs"));
    setText(element.children[3], left === null ? "none" : `${duration(left)} left`);
  }

  load();
  const timer = setInterval(load, 3000);
  return { changed: load, kinds: ["hello"], close: () => clearInterval(timer) };
}
