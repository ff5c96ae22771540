// @ts-check
// The sandboxes of this mock. Each has its own console.

import { button } from "./act.js";
import { get, loading } from "./api.js";
import { SEVERITIES } from "./conduct.js";
import { badge, counted, duration, el, patchTable, replace, setText, table, value } from "./dom.js";

/** The number of sandboxes whose details are loaded. */
const DETAILS_MAX = 50;

/** @param {HTMLElement} main @param {import("./app.js").Place} place @param {import("./app.js").Page} page */
export function openSandboxes(main, place, page) {
  const list = table("Sandboxes", ["Sandbox", "Base address", "Calls", "Conduct", "Clock", "Lease", ""], "",
    "There is no sandbox. A test creates one with POST /__admin/sandboxes.");
  main.append(el("h1", {}, "Sandboxes"), el("section", { class: "card" }, el("p", {}, "A sandbox is a separate world below this one, for one test."),
    el("div", { class: "buttons" }, button({ label: "New sandbox", method: "POST", path: "sandboxes", body: { lease_seconds: 3600 }, name: "primary", done: load }))), list.whole, list.empty);

  function load() {
    return loading(async () => {
      const found = await get("sandboxes");
      const newest = found.sandboxes.slice().reverse();
      patchTable(list, newest, (/** @type {any} */ one) => one.id, row);
      for (const one of newest.slice(0, DETAILS_MAX)) details(one.id);
    });
  }

  /** @param {any} one */
  function row(one) {
    const link = el("a", { href: consoleOf(one.id), "data-open": true }, one.id);
    return el("tr", { "data-row": true }, el("td", { class: "serial" }, link), el("td", {}, el("code", {}, value(one.base_url))), el("td", { "data-name": "calls" }),
      el("td", { "data-name": "conduct" }), el("td", { "data-name": "clock" }), el("td", { class: "when", "data-name": "lease" }), el("td", { class: "end" }, el("span", { class: "buttons" },
        button({ label: "Renew", method: "POST", path: `sandboxes/${encodeURIComponent(one.id)}/renew`, body: {}, done: load }),
        button({ label: "Delete", method: "DELETE", path: `sandboxes/${encodeURIComponent(one.id)}`, name: "danger", done: load }))));
  }

  /** @param {string} id */
  async function details(id) {
    const found = await get(`sandboxes/${encodeURIComponent(id)}`).catch(() => null);
    const element = found && list.body.querySelector(`[data-key="${CSS.escape(id)}"]`);
    if (!element) return;
    const left = found.lease_ends_in_seconds;
    const cell = (/** @type {string} */ name) => /** @type {HTMLElement} */ (element.querySelector(`[data-name="${name}"]`));
    cell("clock").replaceChildren(found.clock.frozen ? badge("accent", "❄", "frozen") : badge("good", "▶", "runs"));
    setText(cell("lease"), left === null ? "no lease" : `${duration(left)} left`);
    setText(cell("calls"), counted(found.calls, "call"));
    if (page.can("GET", "/sandboxes/{id}/findings") && cell("conduct").dataset.calls !== String(found.calls)) {
      cell("conduct").dataset.calls = String(found.calls);
      const judged = await get(`sandboxes/${encodeURIComponent(id)}/findings`).catch(() => null);
      if (judged) replace(cell("conduct"), severities(id, judged.findings));
    }
  }

  load();
  const timer = setInterval(load, 3000);
  return { changed: load, kinds: ["hello"], close: () => clearInterval(timer) };
}

/** The number of findings of each severity, as a link. @param {string} id @param {any[]} findings */
function severities(id, findings) {
  if (findings.length === 0) return el("span", { class: "muted" }, "no finding");
  const counts = Object.entries(SEVERITIES).map(([severity, [name, sign]]) => {
    const count = findings.filter((one) => one.severity === severity).length;
    return count > 0 ? [badge(name, sign, `${count} ${severity}`), " "] : [];
  });
  return el("a", { href: `${consoleOf(id)}#/conduct`, class: "plain" }, counts.flat());
}

/** The address of the console of a sandbox. @param {string} id */
function consoleOf(id) {
  return `../../sandboxes/${encodeURIComponent(id)}/__admin/console/`;
}
