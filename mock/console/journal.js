// @ts-check
// The calls that the page knows: newest first, each once, fed by asking again and again.

import { ControlError, get } from "./api.js";

/** The mock is asked for news so often where events do not come. */
const POLL_MILLISECONDS = 1000;

/** @typedef {Record<string, any> & { serial: number }} Exchange */

/**
 * A view of the journal with a filter, such as `status=4xx`.
 * @param {string} filter query of `GET /exchanges`
 * @param {number} limit rows
 * @param {(change: "rows" | "trouble") => void} changed
 */
export function journal(filter, limit, changed) {
  /** @type {Map<number, Exchange>} */
  let known = new Map();
  /** What came while the list was paused. @type {Map<number, Exchange>} */
  let waiting = new Map();
  const state = { count: 0, limit, isPaused: false, isLoaded: false, trouble: /** @type {Error | null} */ (null) };
  let isOver = false;

  /** @param {string} more */
  const ask = (more) => get(`exchanges?${[filter, more].filter(Boolean).join("&")}`);

  const newest = () => Math.max(0, ...known.keys(), ...waiting.keys());

  /** Loads the newest rows anew. */
  async function load() {
    try {
      const found = await ask(`limit=${state.limit}`);
      if (isOver) return;
      known = new Map(found.exchanges.map((/** @type {Exchange} */ one) => [one.serial, one]));
      waiting = new Map();
      Object.assign(state, { count: found.count, isLoaded: true, trouble: null });
      changed("rows");
    } catch (error) {
      fail(error);
    }
  }

  /** @param {unknown} error */
  function fail(error) {
    if (isOver) return;
    state.trouble = /** @type {Error} */ (error);
    changed("trouble");
  }

  /** Takes calls that are new. @param {Exchange[]} exchanges */
  function take(exchanges) {
    const fresh = exchanges.filter((one) => !known.has(one.serial) && !waiting.has(one.serial));
    if (isOver || fresh.length === 0) return;
    const place = state.isPaused ? waiting : known;
    for (const one of fresh) place.set(one.serial, one);
    if (!state.isPaused) trim(fresh.length);
    changed("rows");
  }

  /** @param {number} added */
  function trim(added) {
    state.count += added;
    const serials = [...known.keys()].sort((a, b) => b - a);
    for (const serial of serials.slice(state.limit)) known.delete(serial);
  }

  async function poll() {
    if (isOver || !state.isLoaded) return;
    try {
      const since = newest();
      const found = await ask(`limit=${state.limit}&since=${since}`);
      const isCut = found.count > found.exchanges.length;
      if (isCut && !state.isPaused) return await load();
      take(found.exchanges);
    } catch (error) {
      if (error instanceof ControlError || error instanceof TypeError) fail(error);
    }
  }

  return {
    state,
    load,
    take,
    /** Newest first. */
    rows: () => [...known.values()].sort((a, b) => b.serial - a.serial),
    /** How many came while the list was paused. */
    waits: () => waiting.size,
    /** @param {boolean} isPaused */
    pause(isPaused) {
      state.isPaused = isPaused;
      if (!isPaused) {
        for (const [serial, one] of waiting) known.set(serial, one);
        const added = waiting.size;
        waiting = new Map();
        trim(added);
      }
      changed("rows");
    },
    more() {
      state.limit *= 2;
      return load();
    },
    /** Asks for news, and again, until `stop`. */
    start() {
      const timer = setInterval(poll, POLL_MILLISECONDS);
      return () => clearInterval(timer);
    },
    stop() {
      isOver = true;
    },
  };
}
