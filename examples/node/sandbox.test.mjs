// Run with: moot exec -- node --test examples/node/

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { sandbox } from "./sandbox.mjs";

let box;
beforeEach(async () => { box = await sandbox(); });
afterEach(() => box.end());

test("a token reads workflows", async () => {
  const response = await box.get("/v1/workflows", await box.token());
  assert.equal(response.status, 200);
  assert.ok((await response.json()).data.length > 0);
});

test("a token expires", async () => {
  const token = await box.token();
  await box.advance(7200);
  assert.equal((await box.get("/v1/workflows", token)).status, 401);
  assert.equal((await box.get("/v1/workflows", await box.token())).status, 200);
});
