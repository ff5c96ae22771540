// @ts-check
// The page: which view is shown, the keys, and what stands in its head.

import { startStrip } from "./act.js";
import { ADMIN, get, notice, reason } from "./api.js";
import { focusFilter, openCalls } from "./calls.js";
import { byId, el, replace, setText } from "./dom.js";

/**
 * Where the page is: `#/calls/17?status=4xx`.
 * @typedef {{ view: string, id: string | undefined, query: string }} Place
 * @typedef {{ has: (view: string) => boolean, can: (method: string, route: string) => boolean, connected: (is: boolean) => void }} Page
 * @typedef {{ close: () => void, moved?: (place: Place) => boolean, escape?: () => void, pause?: () => void }} View
 */

/** Each view, the route that it needs, and what opens it. */
const VIEWS = [
  { name: "calls", title: "Calls", needs: "/exchanges", open: openCalls },
];

/** The routes that this mock has: `GET /exchanges`. */
const routes = new Set();

/** @type {Page} */
const page = {
  has: (name) => views().some((view) => view.name === name),
  can: (method, route) => routes.has(`${method} /__admin${route}`),
  connected(is) {
    const chip = byId("connection");
    chip.dataset.state = is ? "live" : "lost";
    setText(chip, is ? "live" : "no connection");
  },
};

const views = () => VIEWS.filter((view) => routes.has(`GET /__admin${view.needs}`));

let current = /** @type {View | null} */ (null);
let shown = "";

/** @returns {Place} */
function place() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [view, id] = path.split("/");
  return { view: view || "calls", id: id === undefined || id === "" ? undefined : decodeURIComponent(id), query };
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
    if (link.dataset.view === at.view) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${view?.title ?? "Not found"} · Moot console`;
  if (view) current = view.open(main, at, page);
  else main.append(el("h1", {}, "Not found"), el("p", {}, "There is no such view here."));
}

/** The links that `j` and `k` go through. @returns {HTMLElement[]} */
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
    setText(byId("world"), sandbox ? `sandbox ${decodeURIComponent(sandbox[1])}` : "main world");
    byId("nav").append(...views().map((view) => el("a", { href: `#/${view.name}`, "data-view": view.name }, view.title)));
    show();
  } catch (error) {
    notice(reason(error));
    page.connected(false);
    setTimeout(() => location.reload(), 2000);
  }
}

start();
