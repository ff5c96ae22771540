// @ts-check
// The loaded calls of the journal: the newest first, each once.

import { ControlError, get } from "./api.js";

/** The shortest time between two loads of the list. */
const LOAD_MILLISECONDS = 700;
/** The same while events are lost, so that loading does not slow down a busy mock. */
const LOST_MILLISECONDS = 3000;

/** @typedef {Record<string, any> & { serial: number }} Exchange */

/**
 * A view of the journal with a filter, such as `status=4xx`.
 * @param {string} filter query of `GET /exchanges`
 * @param {number} limit rows
 * @param {() => void} changed
 */
export function journal(filter, limit, changed) {
  /** @type {Map<number, Exchange>} */
  let known = new Map();
  /** Calls that arrived while the list was paused. @type {Map<number, Exchange>} */
  let waiting = new Map();
  /** Calls that arrived during the load that is under way; `null` if none is. @type {Map<number, Exchange> | null} */
  let arrived = null;
  const state = { count: 0, limit, isPaused: false, isLoaded: false, trouble: /** @type {unknown} */ (null) };
  let isOver = false;
  /** Whether the list is loaded when it resumes. */
  let isStale = false;
  /** Whether more calls than those in `waiting` may have arrived. */
  let isIncomplete = false;
  let loadedAt = 0;
  let timer = 0;
  /** The pause of the load that follows the one under way; 0 if none follows. */
  let due = 0;

  /** Loads the newest rows, unless `cancel` or a later load comes first. */
  async function load() {
    cancel();
    loadedAt = Date.now();
    const during = (arrived = new Map());
    try {
      const found = await get(`exchanges?${[filter, `limit=${state.limit}`].filter(Boolean).join("&")}`);
      if (arrived !== during) return;
      const newest = found.exchanges.at(-1)?.serial ?? 0;
      const late = [...during.values()].filter((one) => one.serial > newest);
      known = new Map([...found.exchanges, ...late].map((one) => [one.serial, one]));
      waiting = new Map();
      isStale = isIncomplete = false;
      Object.assign(state, { count: found.count + late.length, isLoaded: true, trouble: null });
    } catch (error) {
      if (arrived !== during) return;
      state.trouble = error;
    }
    arrived = null;
    const again = due;
    due = 0;
    if (again) reload(again);
    // Trying again is useless if the mock refused the filter.
    if (state.trouble && !(state.trouble instanceof ControlError)) reload(LOAD_MILLISECONDS);
    changed();
  }

  /** Drops the load that is due or under way. */
  function cancel() {
    clearTimeout(timer);
    timer = due = 0;
    arrived = null;
  }

  /**
   * Loads the rows at least `pause` ms after the last load began. A load that is under way ends first: otherwise a
   * slow load would never end. A paused list is loaded when it resumes.
   * @param {number} pause
   */
  function reload(pause) {
    if (arrived) due = due ? Math.min(due, pause) : pause;
    else if (state.isPaused) isStale = isIncomplete = true;
    else if (!timer) timer = window.setTimeout(load, Math.max(0, loadedAt + pause - Date.now()));
  }

  /** Adds a new call. @param {Exchange} one */
  function arrive(one) {
    if (isOver || known.has(one.serial) || waiting.has(one.serial)) return;
    arrived?.set(one.serial, one);
    if (state.isPaused) waiting.set(one.serial, one);
    else add([one]);
    changed();
  }

  /** @param {Exchange[]} fresh */
  function add(fresh) {
    for (const one of fresh) known.set(one.serial, one);
    state.count += fresh.length;
    if (known.size <= state.limit) return;
    const serials = [...known.keys()].sort((a, b) => b - a);
    for (const serial of serials.slice(state.limit)) known.delete(serial);
  }

  return {
    state,
    load,
    /** @param {import("./events.js").WorldEvent} event */
    event(event) {
      if (event.kind === "exchange") arrive(event.data);
      else if (event.kind === "lost") reload(LOST_MILLISECONDS);
      else if (["hello", "reset", "tick"].includes(event.kind)) reload(LOAD_MILLISECONDS);
    },
    /** The newest first. */
    rows: () => [...known.values()].sort((a, b) => b.serial - a.serial),
    /** The number of calls since the list was paused, with `+` if events were lost. */
    waits: () => (isIncomplete ? `${waiting.size}+` : String(waiting.size)),
    /** @param {boolean} isPaused */
    pause(isPaused) {
      state.isPaused = isPaused;
      if (isPaused && state.isLoaded) {
        isStale = timer > 0 || arrived !== null;
        cancel();
      } else if (!isPaused) {
        add([...waiting.values()]);
        waiting = new Map();
        if (isStale) reload(LOAD_MILLISECONDS);
        isStale = isIncomplete = false;
      }
      changed();
    },
    more() {
      state.limit *= 2;
      return load();
    },
    stop() {
      isOver = true;
      cancel();
    },
  };
}
