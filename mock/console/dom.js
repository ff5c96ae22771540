// @ts-check
// Elements, and how values are shown. Values from outside become text, never markup.

/** @typedef {string | number | Node | null | undefined | false} Child */

const SVG = "http://www.w3.org/2000/svg";
/** Characters of a value that are shown. */
const VALUE_LENGTH_MAX = 2000;
/** Characters of a body that are shown: as many as the journal keeps. */
const BLOCK_LENGTH_MAX = 65536;

/**
 * An element. Attributes with a function are listeners; `null` and `false` are left out.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * An element of a picture.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** @param {any} element @param {Record<string, any>} attributes @param {any[]} children */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  const shown = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  element.append(...shown.map((child) => (child instanceof Node ? child : String(child))));
  return element;
}

/** The element with an id of the page. @param {string} id @returns {any} */
export function byId(id) {
  return document.getElementById(id);
}

/** Sets the text of an element if it differs. @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Makes the children of `parent` those of `items`, in their order. An element of an item that was there
 * stays, so that focus, selection and scroll position stay too.
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {(item: T) => string} keyOf
 * @param {(item: T) => HTMLElement} make
 * @param {(element: HTMLElement, item: T) => void} [update]
 */
export function patch(parent, items, keyOf, make, update) {
  const known = new Map();
  for (const child of [...parent.children]) known.set(/** @type {HTMLElement} */ (child).dataset.key, child);
  let place = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let element = known.get(key);
    known.delete(key);
    if (!element) {
      element = make(item);
      element.dataset.key = key;
    }
    if (update) update(element, item);
    if (element === place) place = place.nextElementSibling;
    else parent.insertBefore(element, place);
  }
  for (const child of known.values()) child.remove();
}

/** Makes `element` the only child of `parent`. @param {Element} parent @param {...(Child | Child[])} children */
export function replace(parent, ...children) {
  const shown = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  parent.replaceChildren(.../** @type {any} */ (shown));
}

/** A value from outside: its direction does not reach its surroundings, and it is cut if it is long. @param {unknown} value */
export function value(value) {
  return el("bdi", {}, cut(value === null || value === undefined ? "–" : String(value), VALUE_LENGTH_MAX));
}

/** The beginning of a text, and how much is left out. @param {string} text @param {number} length */
export function cut(text, length) {
  if (text.length <= length) return text;
  return `${text.slice(0, length)} … and ${(text.length - length).toLocaleString("en")} more characters`;
}

/** A text of several lines, such as a body. JSON is indented. @param {string} label @param {string} text */
export function block(label, text) {
  const shown = text.length <= BLOCK_LENGTH_MAX ? indented(text) : cut(text, BLOCK_LENGTH_MAX);
  return el("pre", { tabindex: "0", role: "region", "aria-label": label }, el("code", {}, shown));
}

/** A table with headings. @param {string} caption @param {string[]} heads @param {string} [name] */
export function table(caption, heads, name = "") {
  const body = el("tbody");
  const head = el("tr", {}, heads.map((text) => el("th", { scope: "col" }, text || el("span", { class: "hidden" }, "Actions"))));
  const whole = el("table", { class: name }, el("caption", { class: "hidden" }, caption), el("thead", {}, head), body);
  return { whole: el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, whole), body };
}

/** A list of names and values; rows without a value are left out. @param {[string, Child][]} rows */
export function facts(rows) {
  const known = rows.filter(([, shown]) => shown !== null && shown !== undefined && shown !== false && shown !== "");
  return el("dl", { class: "facts" }, known.map(([name, shown]) => el("div", {}, el("dt", {}, name), el("dd", {}, shown))));
}

/** The class and the sign of a status: colour is never the only difference. @param {number} status */
export function statusBadge(status) {
  const [name, sign] = status < 300 ? ["good", "✓"] : status < 400 ? ["plain", "→"] : status < 500 ? ["warn", "▲"] : ["bad", "✕"];
  return badge(name, sign, String(status));
}

/** A badge. @param {string} name @param {string} sign @param {string} text */
export function badge(name, sign, text) {
  return el("span", { class: `badge ${name}` }, el("span", { class: "sign", "aria-hidden": "true" }, sign), text);
}

/** `14:30:00.120` of an ISO time. @param {string} text */
export function clockTime(text) {
  const found = /T(\d\d:\d\d:\d\d)(\.\d{1,3})?/.exec(text);
  return found ? found[1] + (found[2] ?? "").padEnd(4, found[2] ? "0" : "") : text;
}

/** `2026-03-05 14:30:00` of an ISO time. @param {string} text */
export function dateTime(text) {
  return text.replace("T", " ").replace(/(\.\d+)?Z$/, "");
}

/** `1 call`, `2 calls`. @param {number} count @param {string} noun @param {string} [many] */
export function counted(count, noun, many = `${noun}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : many}`;
}

/** A text of an address, as it is where it is not well-formed. @param {string} text */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Bytes in words. @param {number} length */
export function bytes(length) {
  if (length < 1024) return counted(length, "byte");
  return length < 1048576 ? `${(length / 1024).toFixed(1)} kB` : `${(length / 1048576).toFixed(1)} MB`;
}

/** Seconds in words: `1 d 2 h`, `3 min`. @param {number} seconds */
export function duration(seconds) {
  const units = /** @type {[string, number][]} */ ([["d", 86400], ["h", 3600], ["min", 60], ["s", 1]]);
  let left = Math.max(0, Math.round(seconds));
  const parts = [];
  for (const [name, length] of units) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) parts.push(`${count} ${name}`);
  }
  return parts.slice(0, 2).join(" ") || "0 s";
}

/**
 * JSON with line breaks. Numbers and texts stay as they were sent: parsing them would change big numbers.
 * @param {string} text
 */
function indented(text) {
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  const tokens = text.match(/"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? [];
  let out = "";
  let depth = 0;
  tokens.forEach((token, at) => {
    const next = tokens[at + 1];
    if (token === "{" || token === "[") {
      const isEmpty = next === "}" || next === "]";
      depth += 1;
      out += isEmpty ? token : `${token}\n${"  ".repeat(depth)}`;
    } else if (token === "}" || token === "]") {
      depth -= 1;
      out += tokens[at - 1] === "{" || tokens[at - 1] === "[" ? token : `\n${"  ".repeat(depth)}${token}`;
    } else if (token === ",") out += `,\n${"  ".repeat(depth)}`;
    else out += token === ":" ? ": " : token;
  });
  return out;
}
