// @ts-check
// The page: its views, the keys, and the head.

import { announce, startStrip } from "./act.js";
import { ADMIN, get, notice, reason } from "./api.js";
import { focusFilter, openCalls } from "./calls.js";
import { openClock } from "./clock.js";
import { openConduct } from "./conduct.js";
import { openDeliveries } from "./deliveries.js";
import { byId, dateTime, decoded, el, replace, setText } from "./dom.js";
import { openDrills } from "./drills.js";
import { follow, listen } from "./events.js";
import { openFaults } from "./faults.js";
import { openLimit } from "./limit.js";
import { openRequests } from "./requests.js";
import { openSandboxes } from "./sandboxes.js";

/** The shortest time between two updates of a view. */
const CHANGED_MILLISECONDS = 150;

/**
 * The place in the page: `#/calls/17?status=4xx`.
 * @typedef {{ view: string, id: string | undefined, query: string }} Place
 * @typedef {{ has: (view: string) => boolean, can: (method: string, route: string) => boolean }} Page
 * An open view. `kinds` are the events that it receives: each event through `event`, or one `changed` for several.
 * @typedef {object} View
 * @property {() => void} close
 * @property {string[]} [kinds]
 * @property {string} [filter] the calls whose events it receives
 * @property {(event: import("./events.js").WorldEvent) => void} [event]
 * @property {() => void} [changed]
 * @property {(place: Place) => boolean} [moved] shows another place itself; false if it cannot
 * @property {() => void} [escape]
 * @property {() => void} [pause]
 */

/** The views, each with the route that it needs. */
const VIEWS = [
  { name: "calls", title: "Calls", needs: "/exchanges", open: openCalls },
  { name: "requests", title: "Requests", needs: "/legal_requests", open: openRequests },
  { name: "clock", title: "Clock", needs: "/timers", open: openClock },
  { name: "deliveries", title: "Deliveries", needs: "/deliveries", open: openDeliveries },
  { name: "faults", title: "Faults", needs: "/faults", open: openFaults },
  { name: "limit", title: "Limit", needs: "/rate_limit", open: openLimit },
  { name: "conduct", title: "Conduct", needs: "/findings", open: openConduct },
  { name: "drills", title: "Drills", needs: "/drill_run", open: openDrills },
  { name: "sandboxes", title: "Sandboxes", needs: "/sandboxes", open: openSandboxes },
];

/** The routes that this mock has: `GET /exchanges`. */
const routes = new Set();

/** @type {Page} */
const page = {
  has: (name) => views().some((view) => view.name === name),
  can: (method, route) => routes.has(`${method} /__admin${route}`),
};

const views = () => VIEWS.filter((view) => routes.has(`GET /__admin${view.needs}`));

let current = /** @type {View | null} */ (null);
let shown = "";
let stop = /** @type {(() => void) | null} */ (null);
let listened = "";
let soon = 0;

/** @returns {Place} */
function place() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view, id] = path.split("/");
  return { view: view || "calls", id: id === undefined || id === "" ? undefined : decoded(id), query };
}

function show() {
  const at = place();
  if (shown === at.view && current?.moved?.(at)) return;
  current?.close();
  current = null;
  shown = at.view;
  const main = byId("main");
  replace(main);
  const view = views().find((one) => one.name === at.view);
  for (const link of byId("nav").querySelectorAll("a")) {
    if (link.dataset.view === at.view) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "center" });
    } else link.removeAttribute("aria-current");
  }
  document.title = `${view?.title ?? "Not found"} · Moot console`;
  if (view) current = view.open(main, at, page);
  subscribe(current?.filter ?? "");
  if (!view) main.append(el("h1", {}, "Not found"), el("p", {}, "There is no such view here."));
}

/** Listens to the events of the world. The filter applies to calls. @param {string} filter */
function subscribe(filter) {
  if (!routes.has("GET /__admin/events") || (stop && listened === filter)) return;
  stop?.();
  listened = filter;
  stop = listen(filter, dispatch, connected);
}

/** Passes an event to the view. @param {import("./events.js").WorldEvent} event */
function dispatch(event) {
  if (event.kind === "clock" || event.kind === "hello") showTime(event.kind === "clock" ? event.data : null);
  if (!current?.kinds?.includes(event.kind)) return;
  current.event?.(event);
  if (current.changed && !soon) {
    soon = window.setTimeout(() => {
      soon = 0;
      current?.changed?.();
    }, CHANGED_MILLISECONDS);
  }
}

const STATES = { live: "live", polling: "polling", lost: "no connection", refused: "filter refused", ended: "ended" };

/** @param {keyof typeof STATES} state */
function connected(state) {
  const chip = byId("connection");
  if (chip.dataset.state === state) return;
  chip.dataset.state = state;
  setText(chip, STATES[state]);
  if (state === "lost") announce("The mock does not answer");
}

let clockTimer = 0;

/** Shows the time of the world. A running clock is updated here, without another call. @param {any} clock */
async function showTime(clock) {
  const { now, frozen } = clock ?? (await get("clock").catch(() => ({})));
  clearInterval(clockTimer);
  if (!now) return;
  const began = Date.now();
  const draw = () => {
    const passed = frozen ? 0 : Date.now() - began;
    setText(byId("time"), `${frozen ? "❄ " : ""}${dateTime(new Date(Date.parse(now) + passed).toISOString())}`);
  };
  draw();
  clockTimer = frozen ? 0 : window.setInterval(draw, 1000);
}

/** The rows that `j` and `k` select. @returns {HTMLElement[]} */
const rows = () => [...document.querySelectorAll("#main [data-row] [data-open]")].map((one) => /** @type {HTMLElement} */ (one));

/** @param {number} step */
function move(step) {
  const all = rows();
  const here = document.activeElement?.closest("[data-row]")?.querySelector("[data-open]")
    ?? document.querySelector("#main [data-row][aria-selected] [data-open]");
  const at = all.findIndex((one) => one === here);
  const next = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + step))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** @param {KeyboardEvent} event */
function key(event) {
  const target = /** @type {HTMLElement} */ (event.target);
  const isField = target.matches("input, select, textarea");
  if (document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    if (isField) target.blur();
    else current?.escape?.();
    return;
  }
  if (isField) return;
  const digit = Number(event.key);
  if (event.key === "j") move(1);
  else if (event.key === "k") move(-1);
  else if (event.key === "p") current?.pause?.();
  else if (event.key === "?") byId("keys").showModal();
  else if (event.key === "/") focusFilter();
  else if (digit >= 1 && digit <= views().length) location.hash = `#/${views()[digit - 1].name}`;
  else return;
  event.preventDefault();
}

async function start() {
  startStrip();
  addEventListener("hashchange", show);
  addEventListener("keydown", key);
  byId("help").addEventListener("click", () => byId("keys").showModal());
  try {
    const index = await get("");
    for (const route of index.routes) routes.add(`${route.method} ${route.path}`);
    const sandbox = /\/sandboxes\/([^/]+)\/__admin\/$/.exec(ADMIN.pathname);
    if (!routes.has("GET /__admin/events")) {
      if (routes.has("GET /__admin/drill_run")) follow(dispatch, connected);
      else byId("connection").hidden = true;
    }
    setText(byId("world"), index.recorded ? "recorded" : sandbox ? `sandbox ${decoded(sandbox[1])}` : "main world");
    byId("nav").append(...views().map((view) => el("a", { href: `#/${view.name}`, "data-view": view.name }, view.title)));
    show();
  } catch (error) {
    notice(reason(error));
    connected("lost");
    setTimeout(() => location.reload(), 2000);
  }
}

start();
