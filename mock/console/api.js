// @ts-check
// Calls of the control plane, with its token if it needs one, and the same calls as curl commands.

import { byId, setText } from "./dom.js";

/** The base address of the control plane. The page is in its folder `console/`. */
export const ADMIN = new URL("..", document.baseURI);

/** The token of the control plane. It is kept in memory only. @type {string | null} */
let token = null;
/** The open dialog that asks for the token. @type {Promise<void> | null} */
let asking = null;

/** An error response of the control plane. */
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
 * Calls the control plane, and returns the JSON of its response.
 * @param {string} method @param {string} path @param {any} [body] @returns {Promise<any>}
 */
export async function call(method, path, body) {
  const response = await send(method, path, body);
  const json = await response.json().catch(() => null);
  if (!response.ok) throw new ControlError(response.status, json);
  return json;
}

/** @param {string} path */
export const get = (path) => call("GET", path);

/** Opens a response whose body is a stream. @param {string} path @param {AbortSignal} signal */
export async function open(path, signal) {
  const response = await send("GET", path, undefined, signal);
  if (!response.ok) throw new ControlError(response.status, await response.json().catch(() => null));
  return response;
}

/** Asks for the token. Calls at the same time share one dialog. @param {string | null} refused */
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

/** A text as a word of a POSIX shell. @param {string} text */
function quoted(text) {
  return /^[\w@%+=:,./?&-]+$/.test(text) && !text.includes("&") && !text.includes("?") ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** A call as a curl command. @param {string} method @param {string} path @param {any} [body] */
export function curl(method, path, body) {
  const words = ["curl"];
  if (method !== "GET") words.push("-X", method);
  if (token !== null) words.push("-H", '"Authorization: Bearer $MOOT_ADMIN_TOKEN"');
  words.push(quoted(address(path).href));
  if (body !== undefined) words.push("-H", "'Content-Type: application/json'", "-d", quoted(JSON.stringify(body)));
  return words.join(" ");
}

/** Shows an error above the content. An empty text removes it. @param {string} text */
export function notice(text) {
  const line = byId("notice");
  setText(line, text);
  line.hidden = text === "";
}

/** An error in words. @param {unknown} error */
export function reason(error) {
  if (error instanceof ControlError) return error.message;
  return "The mock does not answer. Is it running?";
}

/** Loads the data of a view. A failure is shown above the content. @param {() => Promise<void>} load */
export async function loading(load) {
  try {
    await load();
    notice("");
  } catch (error) {
    notice(reason(error));
  }
}
