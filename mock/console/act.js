// @ts-check
// Buttons. Each button is a call of the control plane, and shows the same call as a command.

import { call, curl, notice, reason } from "./api.js";
import { byId, el, setText } from "./dom.js";

/**
 * @typedef {object} Action
 * @property {string} label
 * @property {string} method
 * @property {string | (() => string)} path
 * @property {any | (() => any)} [body]
 * @property {string} [name] class
 * @property {string} [title]
 * @property {(result: any) => void} [done]
 */

/** @param {any} given */
const now = (given) => (typeof given === "function" ? given() : given);

/** A button that performs an action. @param {Action} action */
export function button(action) {
  const show = () => showCommand(curl(action.method, now(action.path), now(action.body)));
  const element = /** @type {HTMLButtonElement} */ (
    el("button", { type: "button", class: action.name, title: action.title, focus: show, mouseenter: show }, action.label)
  );
  element.addEventListener("click", async () => {
    show();
    element.setAttribute("aria-busy", "true");
    await perform(action);
    element.removeAttribute("aria-busy");
  });
  return element;
}

/** Performs an action, and shows a failure above the content. @param {Action} action */
async function perform(action) {
  try {
    const result = await call(action.method, now(action.path), now(action.body));
    notice("");
    announce(`Done: ${action.label}`);
    action.done?.(result);
    return true;
  } catch (error) {
    notice(`${action.label}: ${reason(error)}`);
    return false;
  }
}

/** Shows a command at the foot of the page. @param {string} command */
function showCommand(command) {
  byId("strip").hidden = false;
  setText(byId("strip-command"), command);
}

/** Starts the button that copies the command. */
export function startStrip() {
  const copy = byId("strip-copy");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(byId("strip-command").textContent);
      announce("Copied");
      setText(copy, "Copied");
    } catch {
      getSelection()?.selectAllChildren(byId("strip-command"));
      setText(copy, "Selected");
    }
    setTimeout(() => setText(copy, "Copy"), 1500);
  });
}

/** Announces a text to screen readers. @param {string} text */
export function announce(text) {
  setText(byId("announcer"), text);
}
