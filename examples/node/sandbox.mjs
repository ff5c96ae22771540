// A sandbox of the mock for each test, with its own data, credentials, clock and limits. Works with the test runner of
// Node, with Jest and with Vitest.

const admin = process.env.MOOT_ADMIN_URL;
const headers = { "content-type": "application/json" };
if (process.env.MOOT_ADMIN_TOKEN) headers.authorization = `Bearer ${process.env.MOOT_ADMIN_TOKEN}`;

async function control(method, url, body) {
  const response = await fetch(url, { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`);
  const text = await response.text();
  return text ? JSON.parse(text) : undefined;
}

export async function sandbox(settings = { clock: "frozen" }) {
  const made = await control("POST", `${admin}/sandboxes`, settings);
  const { client_id, client_secret } = made.applications[0];
  return {
    baseUrl: made.base_url,
    async token() {
      const form = { grant_type: "client_credentials", scope: "read write", client_id, client_secret };
      const body = new URLSearchParams(form);
      const response = await fetch(`${made.base_url}/oauth/token`, { method: "POST", body });
      return (await response.json()).access_token;
    },
    get: (path, token) => fetch(made.base_url + path, { headers: { authorization: `Bearer ${token}` } }),
    advance: (seconds) => control("POST", `${made.admin_url}/clock`, { advance_seconds: seconds }),
    end: () => control("DELETE", `${admin}/sandboxes/${made.id}`),
  };
}
