// @ts-check
// Calls of the control plane, with the token if one is needed, and the same calls as curl commands.

import { byId, setText } from "./dom.js";

/** The control plane of this world; the page is in its folder `console/`. */
export const ADMIN = new URL("..", document.baseURI);

/** Kept in memory only. @type {string | null} */
let token = null;
/** The question for the token that waits for an answer. @type {Promise<void> | null} */
let asking = null;

/** An answer that is not a success. */
export class ControlError extends Error {
  /** @param {number} status @param {any} problem */
  constructor(status, problem) {
    super(problem?.detail ?? `The mock answered ${status}.`);
    this.status = status;
    this.problem = problem;
  }
}

/** @param {string} path */
function address(path) {
  return new URL(path.replace(/^\//, ""), ADMIN);
}

/** @param {string} method @param {string} path @param {any} [body] @param {AbortSignal} [signal] */
async function send(method, path, body, signal) {
  for (;;) {
    const headers = new Headers();
    const sent = token;
    if (sent !== null) headers.set("authorization", `Bearer ${sent}`);
    if (body !== undefined) headers.set("content-type", "application/json");
    const text = body === undefined ? undefined : JSON.stringify(body);
    const options = /** @type {RequestInit} */ ({ method, headers, body: text, signal, cache: "no-store" });
    const response = await fetch(address(path), options);
    if (response.status !== 401) return response;
    await askToken(sent);
  }
}

/**
 * Calls the control plane; gives the JSON of its answer.
 * @param {string} method @param {string} path @param {any} [body] @returns {Promise<any>}
 */
export async function call(method, path, body) {
  const response = await send(method, path, body);
  const answer = await response.json().catch(() => null);
  if (!response.ok) throw new ControlError(response.status, answer);
  return answer;
}

/** @param {string} path */
export const get = (path) => call("GET", path);

/** An answer whose body comes in pieces. @param {string} path @param {AbortSignal} signal */
export async function open(path, signal) {
  const response = await send("GET", path, undefined, signal);
  if (!response.ok) throw new ControlError(response.status, await response.json().catch(() => null));
  return response;
}

/** Asks for the token once, however many calls wait for it. @param {string | null} refused */
function askToken(refused) {
  if (token !== refused) return Promise.resolve();
  asking ??= new Promise((resolve) => {
    const dialog = byId("token");
    const field = byId("token-field");
    byId("token-wrong").hidden = refused === null;
    field.value = "";
    dialog.addEventListener("cancel", (/** @type {Event} */ event) => event.preventDefault());
    byId("token-form").addEventListener(
      "submit",
      () => {
        token = field.value;
        field.value = "";
        asking = null;
        resolve();
      },
      { once: true },
    );
    dialog.showModal();
  });
  return asking;
}

/** A text for a POSIX shell. @param {string} text */
function quoted(text) {
  return /^[\w@%+=:,./?&-]+$/.test(text) && !text.includes("&") && !text.includes("?") ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** The command that does the same as a button. @param {string} method @param {string} path @param {any} [body] */
export function curl(method, path, body) {
  const words = ["curl"];
  if (method !== "GET") words.push("-X", method);
  if (token !== null) words.push("-H", '"Authorization: Bearer $MOOT_ADMIN_TOKEN"');
  words.push(quoted(address(path).href));
  if (body !== undefined) words.push("-H", "'Content-Type: application/json'", "-d", quoted(JSON.stringify(body)));
  return words.join(" ");
}

/** Shows a trouble above the content; an empty text takes it away. @param {string} text */
export function notice(text) {
  const line = byId("notice");
  setText(line, text);
  line.hidden = text === "";
}

/** What went wrong, in words. @param {unknown} error */
export function reason(error) {
  if (error instanceof ControlError) return error.message;
  return "The mock does not answer. Is it running?";
}
