// @ts-check
// Findings: rules of conduct that clients broke.

import { get, loading } from "./api.js";
import { badge, block, counted, el, patch, prose, setText } from "./dom.js";

/** The shortest time between two requests for the findings. Judging a long journal takes time. */
const PAUSE_MILLISECONDS = 1500;
/** The class and the sign of each severity. */
export const SEVERITIES = /** @type {Record<string, string[]>} */ ({ must: ["bad", "✕"], should: ["warn", "▲"], hint: ["accent", "i"] });

/** @param {HTMLElement} main */
export function openConduct(main) {
  const count = el("span", { class: "muted" });
  const list = el("div", { class: "cards" });
  const empty = el("p", { class: "empty", hidden: true });
  main.append(el("h1", {}, "Conduct of clients ", count), empty, list);
  let timer = 0;

  function load() {
    return loading(async () => {
      timer = 0;
      const found = await get("findings");
      setText(count, String(found.findings.length));
      empty.hidden = found.findings.length > 0;
      setText(empty, found.calls === 0 ? "No call yet." : `No finding in ${counted(found.calls, "call")}.`);
      const ranks = Object.keys(SEVERITIES);
      found.findings.sort((/** @type {any} */ a, /** @type {any} */ b) => ranks.indexOf(a.severity) - ranks.indexOf(b.severity));
      patch(list, found.findings, (/** @type {any} */ one) => JSON.stringify(one), card);
    });
  }

  /** @param {any} one */
  function card(one) {
    const calls = one.calls.slice(0, 12).map((/** @type {number} */ serial) => el("a", { href: `#/calls/${serial}` }, String(serial)));
    const others = one.times - calls.length;
    return el("section", { class: "card" }, finding(one),
      calls.length > 0 ? el("p", { class: "links" }, "Calls ", calls.flatMap((/** @type {Node} */ link, /** @type {number} */ at) => (at > 0 ? [" ", link] : [link])), others > 0 ? ` and ${others.toLocaleString("en")} more` : "") : null,
      one.excerpt ? el("details", {}, el("summary", {}, "The first call as a command"), block(`Command of ${one.rule}`, one.excerpt)) : null);
  }

  load();
  return { changed: () => void (timer ||= window.setTimeout(load, PAUSE_MILLISECONDS)), kinds: ["exchange", "reset", "lost", "tick", "hello"], close: () => clearTimeout(timer) };
}

/** A finding with its remedy. @param {any} one */
export function finding(one) {
  const [name, sign] = SEVERITIES[one.severity] ?? ["plain", "·"];
  return el("div", {}, el("h2", {}, badge(name, sign, one.severity), " ", el("code", {}, one.rule), " ", el("span", { class: "muted small" }, one.clause)),
    el("p", {}, prose(one.seen)), el("p", {}, el("strong", {}, "Instead: "), prose(one.instead)));
}
