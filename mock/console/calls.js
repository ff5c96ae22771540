// @ts-check
// The live list of calls, with the selected call beside it.

import { announce } from "./act.js";
import { notice, reason } from "./api.js";
import { openCall } from "./call.js";
import { badge, byId, clockTime, counted, decoded, el, patch, setText, statusBadge, table, value } from "./dom.js";
import { faultWords } from "./faults.js";
import { journal } from "./journal.js";

const ROWS = 200;
/** Row limit: more rows make the page slow. */
const ROWS_MAX = 1600;
/** The shortest time between two announcements to screen readers. */
const ANNOUNCE_MILLISECONDS = 5000;
const SHORTCUTS = [
  ["All", ""],
  ["Refused", "status=4xx"],
  ["Failed", "status=5xx"],
  ["POST", "method=POST"],
];

/**
 * @param {HTMLElement} main
 * @param {import("./app.js").Place} place
 * @param {import("./app.js").Page} page
 */
export function openCalls(main, place, page) {
  const filter = place.query;
  const list = journal(filter, ROWS, draw);
  const { whole, body } = table("Calls", ["Call", "Time", "What", "Status", "Why", "Client"], "calls");
  const detail = el("section", { class: "detail", "aria-label": "One call", hidden: true });
  const field = /** @type {HTMLInputElement} */ (
    el("input", { id: "filter", type: "search", spellcheck: "false", autocomplete: "off",
      placeholder: "status=4xx path=/v1/requests*", "aria-label": "Filter, as in GET /exchanges", list: "filter-words" })
  );
  field.value = decoded(filter.replaceAll("&", " ").replaceAll("+", " "));
  const words = ["operation=", "method=", "path=", "status=", "application=", page.can("GET", "/events") ? "delivery=" : "drill="];
  const pause = el("button", { id: "pause", type: "button", "aria-pressed": "false", hidden: !page.can("GET", "/events"), click: () => list.pause(!list.state.isPaused) }, "Pause");
  const count = el("span", { id: "count", class: "muted" });
  const more = el("button", { type: "button", class: "quiet more", hidden: true, click: () => list.more() });
  const older = el("p", { class: "muted more", hidden: true }, "Older calls are not shown: a filter finds them.");
  const empty = el("div", { class: "empty", hidden: true });
  const bar = el("form", { class: "bar", role: "search" }, field,
    el("datalist", { id: "filter-words" }, words.map((word) => el("option", { value: word }))),
    el("span", { class: "shortcuts" }, SHORTCUTS.map(([label, query]) =>
      el("a", { href: address(query), "aria-current": filter === query ? "true" : null }, label))),
    el("span", { class: "grow" }), count, pause);
  bar.addEventListener("submit", (event) => {
    event.preventDefault();
    location.hash = address(queryOf(field.value));
  });
  main.append(el("h1", {}, "Calls"), bar, el("div", { class: "split" }, el("div", { class: "list" }, whole, empty, more, older), detail));

  let announced = 0;
  let announcedAt = 0;
  let open = /** @type {{ close: () => void } | null} */ (null);
  let selected = 0;

  let isDrawn = true;

  /** Draws once for all changes since the last frame. */
  function draw() {
    if (isDrawn) requestAnimationFrame(drawNow);
    isDrawn = false;
  }

  function drawNow() {
    isDrawn = true;
    notice(list.state.trouble ? reason(list.state.trouble) : "");
    const rows = list.rows();
    patch(body, rows, (one) => String(one.serial), row, update);
    const { count: all, isPaused, isLoaded } = list.state;
    setText(count, list.state.trouble ? "" : rows.length < all ? `newest ${rows.length} of ${counted(all, "call")}` : counted(all, "call"));
    setText(pause, isPaused ? `Resume · ${list.waits()} new` : "Pause");
    pause.setAttribute("aria-pressed", String(isPaused));
    more.hidden = rows.length >= all || list.state.limit >= ROWS_MAX;
    older.hidden = rows.length >= all || list.state.limit < ROWS_MAX;
    setText(more, `Show ${Math.min(all, list.state.limit * 2) - rows.length} more`);
    whole.hidden = rows.length === 0;
    empty.hidden = rows.length > 0 || !isLoaded;
    if (!empty.hidden) drawEmpty();
    announceNew(all + Number.parseInt(list.waits(), 10));
  }

  function drawEmpty() {
    if (empty.childElementCount > 0) return;
    empty.append(el("p", {}, filter ? "No call matches this filter." : "No call yet. Send one to this address:"));
    if (!filter) empty.append(el("p", {}, el("code", {}, new URL("../../", document.baseURI).href)));
  }

  /** @param {number} all */
  function announceNew(all) {
    if (all > announced && announced > 0) {
      if (Date.now() - announcedAt <= ANNOUNCE_MILLISECONDS) return;
      announce(counted(all - announced, "new call"));
      announcedAt = Date.now();
    }
    announced = all;
  }

  /** @param {Record<string, any>} one */
  function row(one) {
    const link = el("a", { href: `#/calls/${one.serial}${filter ? `?${filter}` : ""}`, "data-open": true }, String(one.serial));
    const query = one.query ? el("span", { class: "muted" }, `?${one.query}`) : null;
    const path = el("td", { class: "what" }, el("span", { class: "method" }, one.method), "\u00a0", el("bdi", {}, one.path, query),
      el("span", { class: "operation" }, one.operation ?? "no operation"));
    return el("tr", { "data-row": true, "data-at": one.at, click: (/** @type {MouseEvent} */ event) => {
      if (!(event.target instanceof HTMLAnchorElement)) link.click();
    } },
      el("td", { class: "serial" }, link), el("td", { class: "when" }, clockTime(one.at)), path,
      el("td", {}, statusBadge(one.status)), el("td", { class: "why" }, ...why(one)),
      el("td", { class: "who" }, value(one.application ?? one.client)));
  }

  /** @param {HTMLElement} element @param {Record<string, any>} one */
  function update(element, one) {
    // A restarted mock counts from 1 again, so the same number may be another call.
    if (element.dataset.at !== one.at) {
      element.replaceChildren(...row(one).childNodes);
      element.dataset.at = one.at;
    }
    select(element, one);
  }

  /** @param {HTMLElement} element @param {Record<string, any>} one */
  function select(element, one) {
    if (one.serial === selected) element.setAttribute("aria-selected", "true");
    else element.removeAttribute("aria-selected");
  }

  /** @param {string | undefined} id */
  function show(id) {
    open?.close();
    open = null;
    selected = Number(id ?? 0);
    detail.hidden = !id;
    main.classList.toggle("has-detail", Boolean(id));
    if (id) open = openCall(detail, id, address(filter), page);
    for (const element of body.children) select(/** @type {HTMLElement} */ (element), { serial: Number(/** @type {HTMLElement} */ (element).dataset.key) });
  }

  list.load();
  show(place.id);
  return {
    /** Shows another call of the same list. @param {import("./app.js").Place} next */
    moved(next) {
      if (next.query !== filter) return false;
      show(next.id);
      return true;
    },
    filter,
    kinds: ["exchange", "hello", "reset", "lost", "tick"],
    event: list.event,
    pause: () => list.pause(!list.state.isPaused),
    escape() {
      if (detail.hidden) return;
      const serial = selected;
      location.hash = address(filter);
      /** @type {HTMLElement | null} */ (body.querySelector(`[data-key="${serial}"] a`))?.focus();
    },
    close() {
      list.stop();
      open?.close();
      main.classList.remove("has-detail");
    },
  };
}

/** The reasons for a response: fault, problem and deliveries. @param {Record<string, any>} one */
function why(one) {
  const shown = [];
  if (one.fault) shown.push(badge("fault", "⚡", one.fault === "status" ? "armed fault" : `fault: ${faultWords(one.fault)}`));
  if (one.problem) shown.push(el("bdi", { class: "problem", title: one.detail }, one.problem));
  if (one.deliveries.length > 0) shown.push(badge("plain", "↗", counted(one.deliveries.length, "delivery", "deliveries")));
  return shown;
}

/** @param {string} query */
function address(query) {
  return `#/calls${query ? `?${query}` : ""}`;
}

/** The query of a typed filter, such as `status=4xx path=/v1/*`. A word without `=` is a status or a path. @param {string} text */
function queryOf(text) {
  const words = text.trim().split(/\s+/).filter(Boolean);
  const pairs = words.map((word) => {
    const [name, rest] = [word.split("=")[0], word.slice(word.indexOf("=") + 1)];
    if (word.includes("=")) return `${encodeURIComponent(name)}=${encode(rest)}`;
    return /^[1-5]xx$|^\d{3}$/.test(word) ? `status=${word}` : `path=${encode(word.startsWith("/") ? word : `*${word}*`)}`;
  });
  return pairs.join("&");
}

/** @param {string} text */
function encode(text) {
  return encodeURIComponent(text).replaceAll("%2F", "/").replaceAll("%2A", "*");
}

/** Focuses the filter. */
export function focusFilter() {
  byId("filter")?.focus();
}
