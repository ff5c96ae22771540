// @ts-check
// Elements of the page, and values as text. Values from outside become text, never markup.

/** @typedef {string | number | Node | null | undefined | false} Child */

const SVG = "http://www.w3.org/2000/svg";
/** Length limit of a value, in characters. */
const VALUE_LENGTH_MAX = 2000;
/** Length limit of a body, in characters: the limit of the journal. */
const BLOCK_LENGTH_MAX = 65536;

/**
 * Creates an element. An attribute with a function is a listener; `null` and `false` are left out.
 * @param {string} tag
 * @param {Record<string, any>} attributes
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * Creates an element of an SVG picture.
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
 * Shows `items` as the children of `parent`, in their order. An item that was shown before keeps its element, so that
 * focus, selection and scroll position stay. No two items have the same key.
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

/** Replaces all children of `parent`. @param {Element} parent @param {...(Child | Child[])} children */
export function replace(parent, ...children) {
  const shown = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  parent.replaceChildren(.../** @type {any} */ (shown));
}

/** A value from outside. Its text direction is isolated, and a long value is cut. @param {unknown} value */
export function value(value) {
  return el("bdi", {}, cut(value === null || value === undefined ? "–" : String(value), VALUE_LENGTH_MAX));
}

/** A sentence of Moot. A part in backticks is code. @param {string} text */
export function prose(text) {
  const parts = cut(text, VALUE_LENGTH_MAX).split("`");
  if (parts.length % 2 === 0) return value(text);
  return el("bdi", {}, parts.map((part, at) => (at % 2 === 1 ? el("code", {}, part) : part)));
}

/** The beginning of a text, with the number of characters that are left out. @param {string} text @param {number} length */
export function cut(text, length) {
  if (text.length <= length) return text;
  return `${text.slice(0, length)} … and ${(text.length - length).toLocaleString("en")} more characters`;
}

/** A text of several lines, such as a body. JSON is indented. @param {string} label @param {string} text */
export function block(label, text) {
  const shown = text.length <= BLOCK_LENGTH_MAX ? indented(text) : cut(text, BLOCK_LENGTH_MAX);
  return el("pre", { tabindex: "0", role: "region", "aria-label": label }, el("code", {}, shown));
}

/**
 * A table with headings, and a text that replaces it while it has no rows.
 * @param {string} caption @param {string[]} heads @param {string} [name] class @param {string} [none] the text
 */
export function table(caption, heads, name = "", none = "") {
  const body = el("tbody");
  const head = el("tr", {}, heads.map((text) => el("th", { scope: "col" }, text || el("span", { class: "hidden" }, "Actions"))));
  const whole = el("table", { class: name }, el("caption", { class: "hidden" }, caption), el("thead", {}, head), body);
  const empty = el("p", { class: "empty", hidden: true }, none);
  return { whole: el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, whole), body, empty };
}

/**
 * Shows `items` as the rows of a table, or its text if there are none.
 * @template T
 * @param {ReturnType<typeof table>} table
 * @param {T[]} items
 * @param {(item: T) => string} keyOf
 * @param {(item: T) => HTMLElement} row
 * @param {(element: HTMLElement, item: T) => void} [update]
 */
export function patchTable({ whole, body, empty }, items, keyOf, row, update) {
  whole.hidden = items.length === 0;
  empty.hidden = items.length > 0;
  patch(body, items, keyOf, row, update);
}

/** A list of names and values. Rows without a value are left out. @param {[string, Child][]} rows */
export function facts(rows) {
  const known = rows.filter(([, shown]) => shown !== null && shown !== undefined && shown !== false && shown !== "");
  return el("dl", { class: "facts" }, known.map(([name, shown]) => el("div", {}, el("dt", {}, name), el("dd", {}, shown))));
}

/** A status as a badge. It has a sign too, since colour must not be the only difference. @param {number} status */
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

/** A decoded part of an address; unchanged if it is not well-formed. @param {string} text */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A number of bytes in words. @param {number} length */
export function bytes(length) {
  if (length < 1024) return counted(length, "byte");
  return length < 1048576 ? `${(length / 1024).toFixed(1)} kB` : `${(length / 1048576).toFixed(1)} MB`;
}

/** A number of seconds in words: `1 d 2 h`, `3 min`. @param {number} seconds */
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
 * JSON with line breaks. Its tokens are not parsed and written again: that would change big numbers.
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
