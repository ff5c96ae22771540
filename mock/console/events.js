// @ts-check
// What happens in the world, as it happens: server-sent events, or asking again where they do not come.

import { ControlError, get, open } from "./api.js";

/** After so many failed connections in a row the page asks again and again instead. */
const FAILURES_MAX = 2;
const RETRY_MILLISECONDS = 1000;
const REFUSED = [400, 404, 422];

/** @typedef {{ kind: string, id: string | null, data: any }} WorldEvent */

/**
 * Listens until `stop`.
 * @param {string} filter which calls are told of, as in `GET /exchanges`
 * @param {(event: WorldEvent) => void} told
 * @param {(state: "live" | "polling" | "lost" | "refused") => void} connected
 */
export function listen(filter, told, connected) {
  let isOver = false;
  let failures = 0;
  /** @type {AbortController | null} */
  let connection = null;

  async function run() {
    while (!isOver) {
      await shown();
      if (isOver) return;
      connection = new AbortController();
      try {
        const response = await open(`events?${filter}`, connection.signal);
        await read(response, () => {
          failures = 0;
          connected("live");
        });
      } catch (error) {
        // A filter that is wrong stays wrong. The list of calls says why.
        if (error instanceof ControlError && REFUSED.includes(error.status)) return connected("refused");
        if (error instanceof ControlError) failures = FAILURES_MAX;
      }
      if (isOver) return;
      if (document.hidden) continue;
      failures += 1;
      connected(failures > FAILURES_MAX ? "polling" : "lost");
      await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS));
      // Views ask for all they show: where no event comes, that keeps them up to date.
      told({ kind: "tick", id: null, data: null });
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
        told(event);
      }
    }
  }

  // A browser has six connections for all pages of a host: one that nobody sees keeps none.
  const hide = () => document.hidden && connection?.abort();
  document.addEventListener("visibilitychange", hide);
  run();
  return () => {
    isOver = true;
    document.removeEventListener("visibilitychange", hide);
    connection?.abort();
  };
}

/** Waits until somebody can see the page. */
async function shown() {
  while (document.hidden) await new Promise((resolve) => document.addEventListener("visibilitychange", resolve, { once: true }));
}

/** One event of its lines; null for a comment. @param {string} block @returns {WorldEvent | null} */
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
 * Looks again and again at drills that run, until they are over and can't be started again. A call is there a second later at most.
 * @param {(event: WorldEvent) => void} told
 * @param {(state: "live" | "lost" | "ended") => void} connected
 */
export async function follow(told, connected) {
  for (let before = ""; ; ) {
    const run = await get("drill_run").catch(() => null);
    const now = JSON.stringify(run);
    connected(run === null ? "lost" : run.state === "running" ? "live" : "ended");
    if (run !== null && now !== before) told({ kind: "tick", id: null, data: null });
    if (run !== null && run.state !== "running" && !run.can_start) return;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS));
  }
}
