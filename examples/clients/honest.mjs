// A client that passes `moot drill`, with `fetch`.
//
//     moot drill --progression on-read:1 -- node examples/clients/honest.mjs
//
// It lists legal requests, creates one, waits for its signature, and stores a document. It needs Node 18 or newer.

import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 20_000;
const TRIES_MAX = 5;
// The pause before the first retry. It doubles with each further one.
const PAUSE_MS = 300;
// Added to the time of `Retry-After`, since clocks differ.
const RESERVE_MS = 100;
// A token this close to its end could expire before the call arrives.
const RENEW_BEFORE_MS = 60_000;
const POLL_MS = 100;
const POLLS_MAX = 30;
const ENDS = ['signed', 'archived', 'declined', 'canceled', 'expired'];

const COUNTERPARTY = 'Ada Sample';
const ORGANIZATION = 'Sample Works 7f3a';
const FILE_NAME = 'sample-7f3a.txt';

const { env } = process;

/** The service refused a call, and the same call would be refused again. */
class Refused extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** No whole response came, or the service failed. The call may have been done. */
class Lost extends Error {}

async function pause(attempt, retryAfter) {
  // `Retry-After` may be a date.
  const until = Math.max(0, Date.parse(retryAfter ?? '') - Date.now()) / 1000;
  const seconds = /^\d+$/.test(retryAfter ?? '') ? Number(retryAfter) : Number.isNaN(until) ? undefined : until;
  await sleep(seconds === undefined ? PAUSE_MS * 2 ** (attempt - 1) : seconds * 1000 + RESERVE_MS);
}

/** One call: its status, its headers, and its JSON. */
async function once(path, options) {
  let response;
  let text;
  try {
    // A redirect would take the call to another host.
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const headers = { 'User-Agent': 'honest-js/1.0', ...options.headers };
    response = await fetch(env.MOOT_BASE_URL + path, { redirect: 'manual', ...options, headers, signal });
    text = await response.text();
  } catch (error) {
    throw new Lost(String(error.cause ?? error));
  }
  // The class of the status decides, so that unknown statuses are handled too.
  if (response.status >= 500) throw new Lost(`${path}: ${response.status}`);
  let body = {};
  try {
    body = text ? JSON.parse(text) : {};
  } catch {
    if (response.ok) throw new Lost(`${path}: the response is not JSON`);
  }
  return { status: response.status, headers: response.headers, body };
}

/** One call. Beyond the rate limit it waits, and sends the call again. */
async function patiently(path, options) {
  for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
    const { status, headers, body } = await once(path, options);
    if (status < 300) return body;
    if (status !== 429) {
      throw new Refused(`${path}: ${status} ${body.type ?? body.error ?? 'no problem body'}`, status);
    }
    await pause(attempt, headers.get('Retry-After'));
  }
  throw new Refused(`${path}: 429 ${TRIES_MAX} times`, 429);
}

/** A call that may be done twice without harm. */
async function repeated(call) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Lost) || attempt === TRIES_MAX) throw error;
      await pause(attempt);
    }
  }
}

let token;
let renewAt = 0;

async function accessToken() {
  if (!token || performance.now() >= renewAt) {
    const form = {
      grant_type: 'client_credentials',
      scope: 'read write',
      client_id: env.MOOT_CLIENT_ID,
      client_secret: env.MOOT_CLIENT_SECRET,
    };
    const request = () => patiently('/oauth/token', { method: 'POST', body: new URLSearchParams(form) });
    const issued = await repeated(request);
    token = issued.access_token;
    renewAt = performance.now() + issued.expires_in * 1000 - RENEW_BEFORE_MS;
  }
  return token;
}

/** One call with a token. A token that died early is renewed once. */
async function call(path, options = {}) {
  const withToken = async () => {
    const headers = { Authorization: `Bearer ${await accessToken()}` };
    return patiently(path, { ...options, headers });
  };
  try {
    return await withToken();
  } catch (error) {
    if (error.status !== 401) throw error;
    token = undefined;
    return withToken();
  }
}

const get = (path) => repeated(() => call(path));

async function every(path) {
  const rows = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { data, pagination } = await get(`${path}?page=${page}`);
    pages = pagination.total_pages;
    rows.push(...data);
  }
  return rows;
}

/** Creates an object. If the response was lost, it looks before it creates again. */
async function created(path, mark, content) {
  for (let attempt = 1; attempt <= TRIES_MAX; attempt += 1) {
    try {
      return (await call(path, { method: 'POST', body: await content() })).data;
    } catch (error) {
      if (error instanceof Lost) {
        const row = (await every(path)).find(({ attributes }) => attributes.name.includes(mark));
        if (row) return row;
        await pause(attempt);
      } else if (error.status !== 422 || attempt > 1) {
        // After a 422 the schema may have changed since it was read.
        throw error;
      }
    }
  }
  throw new Lost(`${path}: no response after ${TRIES_MAX} tries`);
}

async function requestForm() {
  const workflow = env.MOOT_GENERATED_WORKFLOW_ID;
  const schema = await get(`/v1/workflows/${workflow}/schema`);
  const { options } = schema.fields_properties.internal_signer_email.properties;
  const values = {
    workflow_id: workflow,
    requester_email: env.MOOT_REQUESTER_EMAIL,
    counterparty_name: COUNTERPARTY,
    counterparty_email: 'ada@sample.invalid',
    counterparty_organization_name: ORGANIZATION,
    internal_signer_email: options[0],
    variables: JSON.stringify({ purpose: 'talks', duration: 1, duration_unit: 'years' }),
  };
  const form = new FormData();
  for (const [name, value] of Object.entries(values)) form.append(name, value);
  return form;
}

async function documentForm() {
  const form = new FormData();
  form.append('file', new Blob(['Their standard terms.\n'], { type: 'text/plain' }), FILE_NAME);
  form.append('metadata', JSON.stringify({ origin: 'honest.mjs' }));
  return form;
}

async function waitForTheEnd(id) {
  let status;
  for (let poll = 0; poll < POLLS_MAX && !ENDS.includes(status); poll += 1) {
    if (poll > 0) await sleep(POLL_MS);
    status = (await get(`/v1/requests/${id}`)).data.attributes.status;
  }
  return status;
}

try {
  console.log(`${(await every('/v1/requests')).length} legal requests`);
  const { id } = await created('/v1/requests', ORGANIZATION, requestForm);
  console.log(`created, and now ${await waitForTheEnd(id)}`);
  await created('/v1/repository_documents', FILE_NAME, documentForm);
  console.log('uploaded');
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
