// A small client of the Legal Request Service that behaves well.
//
//     moot exec --progression on-read:1 -- node examples/javascript/client.mjs
//
// It keeps its token and renews it, waits as long as `Retry-After` says, reads every page of a list,
// builds a request from the workflow's schema, and waits for it to be signed. It needs Node 18 or newer.

import { setTimeout as pause } from 'node:timers/promises';

const TIMEOUT_MS = 30_000;
// A token this close to its end could expire before the call arrives.
const RENEW_BEFORE_MS = 60_000;
const RETRIES_MAX = 3;
const POLL_MS = 100;
const POLLS_MAX = 100;

const { env } = process;

// The counterparty. Everything else comes from the schema.
const VALUES = {
  requester_email: env.MOOT_REQUESTER_EMAIL,
  counterparty_name: 'Granite Works Kft',
  counterparty_organization_name: 'Granite Works Kft',
  counterparty_email: 'signer@granite.invalid',
  counterparty_signer_name: 'Sam Signer',
  counterparty_signer_email: 'signer@granite.invalid',
};
const VARIABLE_VALUES = { string: 'As agreed', number: 12, boolean: true, date: '2026-01-31' };

/** What the service refused, in its own words (section 7). */
class ServiceError extends Error {
  static async of(response) {
    const problem = await response.json().catch(() => ({}));
    const kind = problem.type ?? problem.error ?? 'no problem body';
    const detail = problem.detail ?? problem.error_description ?? '';
    const error = new ServiceError(`${response.status} ${kind}: ${detail}`);
    error.kind = kind;
    return error;
  }
}

class Client {
  #baseUrl;
  #credentials;
  #token;
  #renewAt = 0;

  constructor(baseUrl, clientId, clientSecret) {
    this.#baseUrl = baseUrl;
    this.#credentials = { client_id: clientId, client_secret: clientSecret };
  }

  async #accessToken() {
    if (!this.#token || performance.now() >= this.#renewAt) {
      const form = { grant_type: 'client_credentials', scope: 'read write', ...this.#credentials };
      const body = new URLSearchParams(form);
      const issued = await (await this.#send('/oauth/token', { method: 'POST', body })).json();
      this.#token = issued.access_token;
      this.#renewAt = performance.now() + issued.expires_in * 1000 - RENEW_BEFORE_MS;
    }
    return this.#token;
  }

  /** One call with a token; a token that died early is renewed once. */
  async call(path, options = {}) {
    const withToken = async () => {
      const headers = { Authorization: `Bearer ${await this.#accessToken()}` };
      return (await this.#send(path, { ...options, headers })).json();
    };
    try {
      return await withToken();
    } catch (error) {
      if (!['token_expired', 'token_revoked'].includes(error.kind)) throw error;
      this.#token = undefined;
      return withToken();
    }
  }

  /** Sends a call. Beyond the rate limit it waits for `Retry-After`, and sends the call again. */
  async #send(path, options) {
    for (let attempt = 0; ; attempt += 1) {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(this.#baseUrl + path, { ...options, signal });
      if (response.ok) return response;
      if (response.status !== 429 || attempt === RETRIES_MAX) throw await ServiceError.of(response);
      await pause(Number(response.headers.get('Retry-After') ?? 60) * 1000);
    }
  }

  /** Every member of a list, page after page. */
  async *every(path) {
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const { data, pagination } = await this.call(`${path}?page=${page}`);
      pages = pagination.total_pages;
      yield* data;
    }
  }

  /** A request with all that the schema of its workflow requires. */
  async create(workflowId) {
    const schema = await this.call(`/v1/workflows/${workflowId}/schema`);
    const body = new FormData();
    body.append('workflow_id', workflowId);
    for (const name of schema.required_fields) {
      const options = schema.fields_properties[name]?.properties?.options;
      if (name === 'file') {
        body.append(name, new Blob(['Their standard terms.\n'], { type: 'text/plain' }), 'terms.txt');
      } else if (name === 'variables') {
        body.append(name, JSON.stringify(variables(schema)));
      } else if (name === 'internal_signer_emails[]') {
        options.forEach((email) => body.append(name, email));
      } else if (name !== 'workflow_id') {
        body.append(name, options?.[0] ?? VALUES[name]);
      }
    }
    return (await this.call('/v1/requests', { method: 'POST', body })).data;
  }

  /** Reads the request until it has this status. */
  async waitFor(id, status) {
    for (let poll = 0; poll < POLLS_MAX; poll += 1) {
      const { data } = await this.call(`/v1/requests/${id}`);
      if (data.attributes.status === status) return status;
      await pause(POLL_MS);
    }
    throw new Error(`${id} did not become ${status}`);
  }
}

function variables(schema) {
  const value = (name) => {
    const { options, type } = schema.variables_properties[name].properties;
    return options?.[0] ?? VARIABLE_VALUES[type];
  };
  return Object.fromEntries(schema.required_variables.map((name) => [name, value(name)]));
}

const client = new Client(env.MOOT_BASE_URL, env.MOOT_CLIENT_ID, env.MOOT_CLIENT_SECRET);
let count = 0;
for await (const _ of client.every('/v1/requests')) count += 1;
console.log(`${count} requests`);
for (const name of ['MOOT_GENERATED_WORKFLOW_ID', 'MOOT_THIRD_PARTY_WORKFLOW_ID']) {
  const created = await client.create(env[name]);
  console.log(`created: ${created.attributes.name}, ${created.attributes.status}`);
  console.log(`now: ${await client.waitFor(created.id, 'signed')}`);
}
