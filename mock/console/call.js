// @ts-check
// One call: the reason for its response, its changes, the request and the response.

import { button, announce } from "./act.js";
import { ControlError, get, reason } from "./api.js";
import { finding } from "./conduct.js";
import { block, bytes, dateTime, decoded, el, facts, replace, statusBadge, table, value } from "./dom.js";
import { FAULTS, faultWords } from "./faults.js";

/** The names of groups of rules, in words. @type {Record<string, string>} */
const STAGES = { limit: "rate limit", route: "path and method", rule: "rules of the operation" };

/**
 * @param {HTMLElement} detail
 * @param {string} id serial
 * @param {string} back address of the list
 * @param {import("./app.js").Page} page
 */
export function openCall(detail, id, back, page) {
  let isOver = false;
  replace(detail, el("p", { class: "muted" }, "…"));
  const exchange = get(`exchanges/${id}`).catch((error) => {
    if (error instanceof ControlError && error.status === 404) return null;
    throw error;
  });
  Promise.all([exchange, page.can("GET", "/findings") ? get("findings") : { findings: [] }])
    .then(([one, judged]) => {
      const about = judged.findings.filter((/** @type {any} */ found) => found.calls.includes(Number(id)));
      if (!isOver) replace(detail, one ? parts(one, about, back, page) : gone(id, back, about.length > 0));
    })
    .catch((error) => {
      if (!isOver) replace(detail, el("p", { class: "bad" }, reason(error)));
    });
  return { close: () => void (isOver = true) };
}

/**
 * A call that the journal does not show. `moot exec` judges calls that its client cleared, too.
 * @param {string} id @param {string} back @param {boolean} isJudged whether findings name the call
 */
function gone(id, back, isJudged) {
  const why = isJudged ? "This call was cleared from the journal. The findings still count it." : "The journal no longer holds this call.";
  return [closeLink(back), el("h2", {}, `Call ${id}`), el("p", {}, why)];
}

/** @param {string} back */
function closeLink(back) {
  return el("a", { href: back, class: "close", "aria-label": "Close", title: "Close (Esc)" }, "✕");
}

/** @param {Record<string, any>} one @param {any[]} about findings @param {string} back @param {import("./app.js").Page} page */
function parts(one, about, back, page) {
  const heading = el("h2", { tabindex: "-1" }, el("span", { class: "method" }, one.method), " ", value(one.path));
  return [
    closeLink(back),
    heading,
    el("p", { class: "subtitle" }, statusBadge(one.status), ` call ${one.serial} · ${one.operation ?? "no operation"}`,
      one.section ? ` · §${one.section}` : "", ` · ${dateTime(one.at)}`),
    whyPart(one),
    about.length > 0 ? el("section", {}, el("h3", {}, "Conduct of the client"), about.map((found) => el("div", { class: "callout" }, finding(found)))) : null,
    path(one),
    changes(one, page),
    request(one),
    response(one),
    page.can("POST", "/faults") ? nextFault(one) : null,
  ].filter(Boolean);
}

/** @param {Record<string, any>} one */
function whyPart(one) {
  if (one.fault) {
    return el("div", { class: "callout fault" }, el("strong", {}, "An armed fault caused this: "), value(faultWords(one.fault)));
  }
  if (!one.problem) return null;
  return el("div", { class: "callout bad" }, el("strong", {}, value(one.problem)),
    el("p", {}, value(one.detail ?? "There are no details.")));
}

/** The groups of rules that the call passed, and the result. @param {Record<string, any>} one */
function path(one) {
  const steps = one.passed.map((/** @type {string} */ name) => el("li", { class: "good" }, sign("✓", "passed"), STAGES[name] ?? name));
  const isServed = one.decision === "served";
  steps.push(el("li", { class: isServed ? "end good" : "end bad" }, sign(isServed ? "●" : "✕", ""), isServed ? "served" : `refused by: ${STAGES[one.decision] ?? one.decision}`));
  return el("section", {}, el("h3", {}, "Rules, in their order"), el("ol", { class: "path" }, steps));
}

/** @param {string} shown @param {string} word */
function sign(shown, word) {
  return [el("span", { "aria-hidden": "true" }, `${shown} `), word ? el("span", { class: "hidden" }, `${word} `) : ""];
}

/** @param {Record<string, any>} one @param {import("./app.js").Page} page */
function changes(one, page) {
  const links = one.deliveries.map((/** @type {number} */ id) =>
    el("li", {}, page.has("deliveries") ? el("a", { href: `#/deliveries/${id}` }, `delivery ${id}`) : `delivery ${id}`));
  const known = one.changes.map((/** @type {string} */ text) => el("li", {}, value(text)));
  const id = legalRequest(one);
  const link = id && one.status < 400 && page.has("requests") ? el("p", { class: "links" }, el("a", { href: `#/requests/${encodeURIComponent(id)}` }, `Legal request ${id}`)) : null;
  const list = known.length + links.length > 0 ? el("ul", {}, known, links) : el("p", { class: "muted" }, "Nothing.");
  return el("section", {}, el("h3", {}, "What it changed"), list, link);
}

/** The id of the legal request that a call is about. @param {Record<string, any>} one */
function legalRequest(one) {
  const named = /^\/v1\/requests\/([^/]+)/.exec(one.path);
  if (named) return decoded(named[1]);
  if (one.operation !== "create_legal_request" || !one.answer || one.status !== 201) return null;
  try {
    return JSON.parse(one.answer).data?.id ?? null;
  } catch {
    return null;
  }
}

/** @param {Record<string, any>} one */
function request(one) {
  const { request: sent } = one;
  const wire = one.wire ? `connection ${one.wire.connection}, call ${one.wire.number} on it` : null;
  const rows = facts([
    ["from", value([one.client, wire].filter(Boolean).join(" · "))],
    ["application", one.application && value(one.application)],
    ["query", one.query && value(one.query)],
    ["credential", sent.authorization && value(`${sent.scheme ?? "unknown scheme"}, ${sent.authorization}`)],
    ["client", sent.user_agent && value(sent.user_agent)],
    ["Idempotency-Key", sent.idempotency_key && value(sent.idempotency_key)],
    ["media type", sent.content_type && value(sent.content_type)],
    [sent.parts.length > 0 ? "length of the parts" : "length", sent.length > 0 ? bytes(sent.length) : null],
  ]);
  return el("section", {}, el("h3", {}, "Request"), rows, sent.text ? block("Body of the request", sent.text) : null,
    sent.parts.length > 0 ? form(sent.parts) : null);
}

/** @param {Record<string, any>[]} sent */
function form(sent) {
  const { whole, body } = table("Parts of the form", ["Part", "Value", "Length"]);
  body.append(...sent.map((part) => el("tr", {}, el("td", { class: "name" }, value(part.name)),
    el("td", {}, part.file_name === null ? value(part.text) : el("span", { class: "muted" }, "file ", value(part.file_name))),
    el("td", { class: "name" }, bytes(part.length)))));
  return whole;
}

/** @param {Record<string, any>} one */
function response(one) {
  const { response } = one;
  const rows = facts([
    ["media type", response.content_type && value(response.content_type)],
    ["length", bytes(response.length)],
    ["page", response.page === null ? null : `${response.page} of ${response.pages}`],
    ["Retry-After", response.retry_after_seconds === null ? null : `${response.retry_after_seconds} s`],
  ]);
  return el("section", {}, el("h3", {}, "Response"), rows, one.answer ? block("Body of the response", one.answer) : null);
}

/** A form that arms a fault for the next call of this kind. @param {Record<string, any>} one */
function nextFault(one) {
  const choice = /** @type {HTMLSelectElement} */ (
    el("select", { id: "next-fault" }, FAULTS.map(([label], at) => el("option", { value: at }, label)))
  );
  const filter = one.operation ? { operation: one.operation } : { method: one.method, path: one.path };
  const body = () => ({ ...FAULTS[Number(choice.value)][1], ...filter });
  const said = el("p", { class: "muted", role: "status" });
  const arm = button({ label: "Arm", method: "POST", path: "faults", body, name: "primary", done: (fault) => {
    said.replaceChildren(`Fault ${fault.id} is armed: it strikes the next ${one.operation ?? "such call"}. `, el("a", { href: "#/faults" }, "All faults"));
    announce(`Fault ${fault.id} is armed`);
  } });
  return el("section", {}, el("h3", {}, "Next such call"),
    el("div", { class: "inline" }, el("label", { for: "next-fault" }, "gets"), choice, arm), said);
}
