// @ts-check
// The list of legal requests, and one request with its buttons, its time line and its submitted data.

import { button } from "./act.js";
import { get, loading } from "./api.js";
import { badge, bytes, counted, dateTime, el, facts, patch, patchTable, replace, setText, table, value } from "./dom.js";
import { timeLine } from "./timeline.js";

const ROWS = 100;
/** The twelve statuses of §3. */
const STATUSES = ["draft", "ready_for_send", "business_review", "initial_review", "ongoing_review", "sent_for_signature",
  "changes_proposed", "signed", "archived", "declined", "canceled", "expired"];
const ENDED = ["declined", "canceled", "expired"];

/** @param {string} status */
function requestBadge(status) {
  if (status === "archived" || status === "signed") return badge("good", "✓", status);
  return ENDED.includes(status) ? badge("bad", "✕", status) : badge("accent", "●", status);
}

/**
 * @param {HTMLElement} main
 * @param {import("./app.js").Place} place
 * @param {import("./app.js").Page} page
 */
export function openRequests(main, place, page) {
  return place.id ? one(main, place.id, page) : list(main);
}

/** @param {HTMLElement} main */
function list(main) {
  const rows = table("Legal requests", ["Id", "Name", "Status", "Company", "Created", "Next step"], "requests", "There is no legal request yet.");
  const count = el("span", { class: "muted" });
  main.append(el("h1", {}, "Legal requests ", count), rows.whole, rows.empty);

  function load() {
    return loading(async () => {
      const found = await get(`legal_requests?limit=${ROWS}`);
      const all = found.legal_requests.toSorted((/** @type {any} */ a, /** @type {any} */ b) => b.created_at.localeCompare(a.created_at));
      setText(count, all.length < found.count ? `newest ${all.length} of ${found.count.toLocaleString("en")}` : String(found.count));
      patchTable(rows, all, (/** @type {any} */ one) => [one.id, one.status, one.next_step_at].join(" "), row);
    });
  }

  load();
  return { changed: load, kinds: ["change", "reset", "lost", "tick", "hello"], close() {} };
}

/** @param {any} one */
function row(one) {
  const link = el("a", { href: `#/requests/${encodeURIComponent(one.id)}`, "data-open": true }, one.id);
  return el("tr", { "data-row": true, click: (/** @type {MouseEvent} */ event) => {
    if (!(event.target instanceof HTMLAnchorElement)) link.click();
  } },
    el("td", { class: "serial" }, link), el("td", {}, value(one.name)), el("td", {}, requestBadge(one.status)),
    el("td", { class: "who" }, value(one.company)), el("td", { class: "when" }, dateTime(one.created_at)),
    el("td", { class: "when" }, one.next_step_at ? dateTime(one.next_step_at) : "no next step"));
}

/** @param {HTMLElement} main @param {string} id @param {import("./app.js").Page} page */
function one(main, id, page) {
  const path = `legal_requests/${encodeURIComponent(id)}`;
  const head = el("div", { class: "head" });
  const steps = el("div", { class: "buttons", role: "group", "aria-label": "Statuses that may follow" });
  const forced = el("div", { class: "inline" });
  const line = el("section", { class: "card" });
  const rest = el("div", {});
  const comment = /** @type {HTMLInputElement} */ (el("input", { id: "comment", type: "text", "aria-label": "Comment", placeholder: "Comment (optional)" }));
  const say = button({ label: "Comment", method: "POST", path: `legal_requests/${encodeURIComponent(id)}/comments`,
    body: () => ({ comment: comment.value.trim() }), done: draw });
  const acts = el("section", { class: "card" }, el("h2", {}, "Play the other side"), el("p", { class: "muted" }, "Choose the next status. The comment is stored with it."),
    steps, el("div", { class: "inline gap" }, comment, say), forced);
  main.append(el("p", { class: "crumb" }, el("a", { href: "#/requests" }, "Legal requests")), head, acts, line, rest);
  let shown = "";

  const commented = () => (comment.value.trim() ? { comment: comment.value.trim() } : {});

  /** @param {any} found */
  function buttons(found) {
    patch(steps, found.transitions, (/** @type {string} */ status) => status, (status) =>
      button({ label: words(status), method: "POST", path: `legal_requests/${encodeURIComponent(id)}/status`,
        body: () => ({ status, ...commented() }), name: ENDED.includes(status) ? "danger" : "", done: draw }));
    if (found.transitions.length === 0 && steps.childElementCount === 0) steps.append(el("p", { class: "muted", "data-key": "none" }, "Nothing follows this status."));
    if (forced.childElementCount > 0) return;
    const status = /** @type {HTMLSelectElement} */ (el("select", { id: "forced-status" }, STATUSES.map((name) => el("option", { value: name }, words(name)))));
    forced.append(el("label", { for: "forced-status" }, "Any status:"), status,
      button({ label: "Force", method: "POST", path: `legal_requests/${encodeURIComponent(id)}/status`, title: "Also if the status graph does not allow it",
        body: () => ({ status: status.value, force: true, ...commented() }), done: draw }));
  }

  /** @param {any} found */
  async function draw(found) {
    replace(head, el("h1", {}, value(found.name)), el("p", { class: "subtitle" }, requestBadge(found.status), " ", el("code", {}, found.id),
      ` · ${found.company} · created ${dateTime(found.created_at)}`, found.next_step_at ? ` · next step ${dateTime(found.next_step_at)}` : ""));
    buttons(found);
    const [calls, sent] = await Promise.all([
      get(`exchanges?path=/v1/requests/${encodeURIComponent(id)}*&limit=200`),
      page.has("deliveries") ? get(`deliveries?legal_request_id=${encodeURIComponent(id)}`) : { deliveries: [] },
    ]);
    const now = JSON.stringify([found, calls.exchanges.length, sent.deliveries]);
    if (now === shown) return;
    shown = now;
    replace(line, el("h2", {}, "Time line"), timeLine(found, calls.exchanges, sent.deliveries));
    replace(rest, submitted(found));
  }

  function load() {
    return loading(async () => draw(await get(path)));
  }

  load();
  return {
    changed: load,
    kinds: ["change", "delivery", "exchange", "reset", "lost", "tick", "hello"],
    escape: () => void (location.hash = "#/requests"),
    close() {},
  };
}

/** @param {any} found */
function submitted(found) {
  const rows = /** @type {[string, any][]} */ ([
    ["description", found.description && value(found.description)],
    ...Object.entries(found.fields).map(([name, text]) => [name, value(text)]),
    ["internal signers", found.internal_signers.length > 0 && value(found.internal_signers.join(", "))],
    ...Object.entries(found.variables).map(([name, given]) => [`variable ${name}`, value(JSON.stringify(given))]),
    ...found.files.map((/** @type {any} */ file) => [`file ${file.role ?? ""}`, value(`${file.name}, ${bytes(file.length)}`)]),
  ]);
  return el("section", { class: "card" }, el("h2", {}, "Submitted"), facts(rows), el("p", { class: "muted" }, counted(found.activity.length, "entry in its log", "entries in its log")));
}

/** @param {string} status */
function words(status) {
  const text = status.replaceAll("_", " ");
  return text[0].toUpperCase() + text.slice(1);
}
