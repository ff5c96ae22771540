// @ts-check
// Faults, and the additions of a drill to responses.

import { button } from "./act.js";
import { get, loading } from "./api.js";
import { badge, el, patchTable, replace, table, value } from "./dom.js";

/** The faults on offer: a name, and the body for `POST /faults`. @type {[string, any][]} */
export const FAULTS = [
  ["503 Service Unavailable", { kind: "status", status: 503 }],
  ["500, after the work is done", { kind: "commit_then_fail", status: 500 }],
  ["no response, after the work is done", { kind: "commit_then_fail" }],
  ["429, Retry-After: 5", { kind: "status", status: 429, retry_after_seconds: 5 }],
  ["a delay of 5 s", { kind: "delay", milliseconds: 5000 }],
  ["a closed connection", { kind: "close" }],
  ["a reset connection", { kind: "reset_before" }],
  ["half of the body", { kind: "truncate" }],
  ["malformed JSON", { kind: "malformed_json" }],
  ["another media type", { kind: "wrong_content_type" }],
];
/** Names for kinds that `FAULTS` has with a certain status only. */
const KINDS = /** @type {Record<string, string>} */ ({ status: "another status", commit_then_fail: "a failure, after the work is done" });
const OPERATIONS = ["create_access_token", "revoke_token", "list_workflows", "get_workflow", "get_workflow_schema", "create_legal_request",
  "list_legal_requests", "get_legal_request", "get_legal_request_activity", "create_repository_document", "list_repository_documents",
  "get_repository_document", "download_agreement", "list_webhooks", "create_webhook", "delete_webhook"];
const ADDITIONS = /** @type {[string, string][]} */ ([["members", "an unknown member in each object"], ["values", "unknown actions and events"],
  ["events", "an event of an unknown kind"], ["headers", "an unknown header"], ["problems", "an unknown type of problems"]]);

/** A kind of fault in words. @param {string} kind */
export function faultWords(kind) {
  return KINDS[kind] ?? FAULTS.find(([, body]) => body.kind === kind)?.[0] ?? kind.replaceAll("_", " ");
}

/** @param {string} label @param {string} name @param {[string, string][]} options */
function select(label, name, options) {
  const field = /** @type {HTMLSelectElement} */ (el("select", { id: name }, options.map(([text, given]) => el("option", { value: given }, text))));
  return { field, whole: el("span", { class: "inline" }, label && el("label", { for: name }, label), field) };
}

/** @param {HTMLElement} main */
export function openFaults(main) {
  const list = table("Faults", ["Fault", "Calls", "Effect", "Used", ""], "", "No fault is armed: every call is answered by the rules.");
  const additions = el("section", { class: "card" });
  const kind = select("Respond with", "fault-kind", FAULTS.map(([label], at) => [label, String(at)]));
  const operation = select("for", "fault-operation", [["any call", ""], .../** @type {[string, string][]} */ (OPERATIONS.map((name) => [name, name]))]);
  const times = select("", "fault-times", [["once", "1"], ["3 times", "3"], ["100 times", "100"]]);
  times.field.setAttribute("aria-label", "How often");
  const wanted = () => ({ ...FAULTS[Number(kind.field.value)][1], ...(operation.field.value ? { operation: operation.field.value } : {}), times: Number(times.field.value) });
  main.append(el("h1", {}, "Faults"),
    el("section", { class: "card" }, el("h2", {}, "Arm a fault"), el("div", { class: "inline" }, kind.whole, operation.whole, times.whole,
      button({ label: "Arm", method: "POST", path: "faults", body: wanted, name: "primary", done: load }),
      button({ label: "Disarm all", method: "DELETE", path: "faults", name: "danger", done: load }))),
    list.whole, list.empty, additions);
  let shown = "";

  function load() {
    return loading(async () => {
      const [found, made] = await Promise.all([get("faults"), get("drills")]);
      const newest = found.faults.slice().reverse();
      patchTable(list, newest, (/** @type {any} */ one) => `${one.id} ${one.matched} ${one.hits}`, row);
      if (JSON.stringify(made) !== shown) drawAdditions(made);
    });
  }

  /** @param {any} one */
  function row(one) {
    const target = one.operation ?? [one.method, one.path].filter(Boolean).join(" ");
    const who = [one.application, one.client].filter(Boolean).join(", ");
    const steps = one.sequence.map((/** @type {string[]} */ kinds) => kinds.map(faultWords).join(" and ") || "nothing").join(", then ");
    const nth = one.nth > 1 ? `from call ${one.nth} on` : "";
    return el("tr", { "data-row": true }, el("td", { class: "serial" }, String(one.id)), el("td", {}, value([target || "any call", who, nth].filter(Boolean).join(" · "))),
      el("td", {}, badge("fault", "⚡", steps)),
      el("td", {}, one.spent ? badge("plain", "✓", `${one.hits} of ${one.times * one.sequence.length}, spent`) : badge("accent", "●", `${one.hits} of ${one.times * one.sequence.length}, armed`)),
      el("td", { class: "end" }, button({ label: one.spent ? "Remove" : "Disarm", method: "DELETE", path: `faults/${one.id}`, done: load })));
  }

  /** @param {any} made */
  function drawAdditions(made) {
    shown = JSON.stringify(made);
    const rows = ADDITIONS.map(([name, words]) => {
      const body = { ...made, [name]: !made[name] };
      const toggle = button({ label: "", name: "switch", method: "PUT", path: "drills", body, done: load, title: words });
      toggle.setAttribute("role", "switch");
      toggle.setAttribute("aria-checked", String(made[name]));
      toggle.setAttribute("aria-label", words);
      return el("li", { class: "inline" }, toggle, el("span", {}, `${words}: ${made[name] ? "on" : "off"}`));
    });
    replace(additions, el("h2", {}, "Additions that a client must tolerate"), el("ul", { class: "plain rows" }, rows));
  }

  load();
  return { changed: load, kinds: ["fault", "exchange", "reset", "lost", "tick", "hello"], close() {} };
}
