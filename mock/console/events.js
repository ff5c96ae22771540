// @ts-check
// Events of the world: server-sent events, or polling where they do not arrive.

import { ControlError, get, open } from "./api.js";

/** After more failed connections in a row than this, the page polls. */
const FAILURES_MAX = 2;
const RETRY_MILLISECONDS = 1000;
const REFUSED = [400, 404, 422];

/** @typedef {{ kind: string, id: string | null, data: any }} WorldEvent */

/**
 * Listens to events until the returned function is called.
 * @param {string} filter of calls, as in `GET /exchanges`
 * @param {(event: WorldEvent) => void} dispatch
 * @param {(state: "live" | "polling" | "lost" | "refused") => void} connected
 */
export function listen(filter, dispatch, connected) {
  let isOver = false;
  let failures = 0;
  /** @type {AbortController | null} */
  let connection = null;

  async function run() {
    while (!isOver) {
      await visible();
      if (isOver) return;
      connection = new AbortController();
      try {
        const response = await open(`events?${filter}`, connection.signal);
        await read(response, () => {
          failures = 0;
          connected("live");
        });
      } catch (error) {
        // Trying a wrong filter again is useless. The list of calls shows the reason.
        if (error instanceof ControlError && REFUSED.includes(error.status)) return connected("refused");
        if (error instanceof ControlError) failures = FAILURES_MAX;
      }
      if (isOver) return;
      if (document.hidden) continue;
      failures += 1;
      connected(failures > FAILURES_MAX ? "polling" : "lost");
      await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS));
      // A tick makes views load their data again, so they stay up to date without events.
      dispatch({ kind: "tick", id: null, data: null });
    }
  }

  /** @param {Response} response @param {() => void} began */
  async function read(response, began) {
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done || isOver) return;
      rest += decoder.decode(value, { stream: true });
      const blocks = rest.split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const event = parsed(block);
        if (!event) continue;
        if (event.kind === "hello") began();
        dispatch(event);
      }
    }
  }

  // A browser allows six connections per host for all its pages, so a hidden page keeps none.
  const hide = () => document.hidden && connection?.abort();
  document.addEventListener("visibilitychange", hide);
  run();
  return () => {
    isOver = true;
    document.removeEventListener("visibilitychange", hide);
    connection?.abort();
  };
}

/** Waits until the page is visible. */
async function visible() {
  while (document.hidden) await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
}

/** Parses the lines of an event; null for a comment. @param {string} block @returns {WorldEvent | null} */
function parsed(block) {
  /** @type {Record<string, string>} */
  const fields = {};
  for (const line of block.split("\n")) {
    const at = line.indexOf(": ");
    if (at > 0) fields[line.slice(0, at)] = line.slice(at + 2);
  }
  if (!fields.event) return null;
  return { kind: fields.event, id: fields.id ?? null, data: JSON.parse(fields.data) };
}

/**
 * Polls running drills every second, until they have ended and cannot be started again.
 * @param {(event: WorldEvent) => void} dispatch
 * @param {(state: "live" | "lost" | "ended") => void} connected
 */
export async function follow(dispatch, connected) {
  for (let before = ""; ; ) {
    const run = await get("drill_run").catch(() => null);
    const now = JSON.stringify(run);
    connected(run === null ? "lost" : run.state === "running" ? "live" : "ended");
    if (run !== null && now !== before) dispatch({ kind: "tick", id: null, data: null });
    if (run !== null && run.state !== "running" && !run.can_start) return;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS));
  }
}
