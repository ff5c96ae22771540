// @ts-check
// Deliveries to webhooks, their settings, and the built-in receiver.

import { button } from "./act.js";
import { get, loading } from "./api.js";
import { badge, block, dateTime, el, facts, patchTable, replace, table, value } from "./dom.js";

const SIGNS = /** @type {Record<string, string[]>} */ ({
  queued: ["accent", "…"], in_flight: ["accent", "↗"], delivered: ["good", "✓"], failed: ["bad", "✕"], discarded: ["plain", "–"],
});

/** @param {HTMLElement} main @param {import("./app.js").Place} place @param {import("./app.js").Page} page */
export function openDeliveries(main, place, page) {
  const list = table("Deliveries", ["Delivery", "Event", "About", "Webhook", "State", "Attempts", "Next", ""], "",
    "No delivery yet. Register a webhook; a signed request is delivered to it.");
  const policy = el("section", { class: "card" });
  const receiver = el("section", { class: "card" });
  main.append(el("h1", {}, "Deliveries"), list.whole, list.empty, el("div", { class: "columns" }, policy, receiver));
  let shownPolicy = "";
  let shownReceiver = "";

  function load() {
    return loading(async () => {
      const [outbox, rules, got] = await Promise.all([get("deliveries"), get("delivery_policy"), page.can("GET", "/receiver") ? get("receiver") : null]);
      const newest = outbox.deliveries.slice(-200).reverse();
      patchTable(list, newest, (/** @type {any} */ one) => `${one.id} ${one.state} ${one.attempts.length} ${one.next_attempt_at}`, row);
      if (JSON.stringify(rules) !== shownPolicy) drawPolicy(rules);
      if (got && JSON.stringify(got) !== shownReceiver) drawReceiver(got);
    });
  }

  /** @param {any} one */
  function row(one) {
    const [name, sign] = SIGNS[one.state] ?? ["plain", "·"];
    const attempts = one.attempts.map((/** @type {any} */ attempt) => {
      const isGood = attempt.status >= 200 && attempt.status < 300;
      return el("li", {}, badge(isGood ? "good" : "bad", isGood ? "✓" : "✕", String(attempt.status ?? "no response")), " ",
        el("span", { class: "muted" }, dateTime(attempt.at), attempt.error ? ` ${attempt.error}` : ""));
    });
    const element = el("tr", { "data-row": true }, el("td", { class: "serial" }, el("a", { href: `#/deliveries/${one.id}`, "data-open": true }, String(one.id))),
      el("td", { class: "word" }, value(one.event)), el("td", {}, el("a", { href: `#/requests/${encodeURIComponent(one.legal_request_id)}` }, one.legal_request_id)),
      el("td", { class: "word" }, one.webhook_id), el("td", {}, badge(name, sign, one.state)), el("td", {}, el("ul", { class: "plain" }, attempts)),
      el("td", { class: "when" }, one.next_attempt_at && dateTime(one.next_attempt_at)),
      el("td", { class: "end" }, button({ label: "Redeliver", method: "POST", path: `deliveries/${one.id}/redeliver`, done: load })));
    if (String(one.id) === place.id) element.setAttribute("aria-selected", "true");
    return element;
  }

  /** @param {any} rules */
  function drawPolicy(rules) {
    shownPolicy = JSON.stringify(rules);
    const set = (/** @type {string} */ label, /** @type {any} */ body) => button({ label, method: "PUT", path: "delivery_policy", body, done: load });
    replace(policy, el("h2", {}, "Delivery settings"),
      facts([["paused", rules.paused ? "yes" : "no"], ["delay", `${rules.delay_seconds} s`], ["order", rules.reorder_seconds ? `mixed within ${rules.reorder_seconds} s` : "kept"], ["each is sent", rules.duplicates ? `${rules.duplicates + 1} times` : "once"]]),
      el("div", { class: "buttons" }, set(rules.paused ? "Resume" : "Pause deliveries", { paused: !rules.paused }),
        set(rules.delay_seconds ? "No delay" : "Delay by 60 s", { delay_seconds: rules.delay_seconds ? 0 : 60 }),
        set(rules.duplicates ? "Send each once" : "Send each twice", { duplicates: rules.duplicates ? 0 : 1 }),
        set(rules.reorder_seconds ? "Keep the order" : "Mix the order", { reorder_seconds: rules.reorder_seconds ? 0 : 60 })));
  }

  /** @param {any} got */
  function drawReceiver(got) {
    shownReceiver = JSON.stringify(got);
    const plan = (/** @type {string} */ label, /** @type {number[]} */ statuses) => button({ label, method: "PUT", path: "receiver", body: { statuses }, done: load });
    const arrived = got.received.slice(-20).reverse().map((/** @type {any} */ one) =>
      el("details", {}, el("summary", {}, `${one.number} · ${dateTime(one.at)} · answered ${one.status}`),
        block(`Body ${one.number}`, JSON.stringify(one.body))));
    replace(receiver, el("h2", {}, "The built-in receiver"),
      facts([["address", el("code", {}, got.url)], ["statuses", got.statuses.length > 0 ? got.statuses.join(", ") : "200"]]),
      el("div", { class: "buttons" }, plan("Always 200", []), plan("503, then 200", [503, 200]), plan("Always 500", [500])),
      el("h3", {}, "Arrived"), arrived.length > 0 ? arrived : el("p", { class: "muted" }, "Nothing yet."));
  }

  load();
  return { changed: load, kinds: ["delivery", "change", "clock", "reset", "lost", "tick", "hello"], close() {} };
}
