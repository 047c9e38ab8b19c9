// The server's routes. A refusal becomes a Refusal, which knows what stands there now if somebody was quicker.

import { t, wrong } from "./strings.js";

export class Refusal extends Error {
  constructor(status, told) {
    super(status ? wrong(told?.error ?? { type: "", message: `HTTP ${status}` }) : t("offline"));
    this.status = status;
    this.current = told?.current ?? null;
  }
}

function lost(error) {
  throw error.name === "AbortError" ? error : new Refusal(0, null);
}

async function ask(method, path, { query = {}, body = null, etag = null, signal = null } = {}) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const address = given.length ? `${path}?${new URLSearchParams(given)}` : path;
  const headers = {};
  if (body) headers["Content-Type"] = "application/json";
  if (etag) headers["If-Match"] = `"${etag}"`;
  const answer = await fetch(address, { method, headers, signal, body: body && JSON.stringify(body) }).catch(lost);
  if (!answer.ok) throw new Refusal(answer.status, await answer.json().catch(() => null));
  return answer;
}

export const get = async (path, query = {}, signal = null) => (await ask("GET", path, { query, signal })).json();
export const post = async (path, body = {}) => (await ask("POST", path, { body })).json();
export const put = async (path, body, etag) => (await ask("PUT", path, { body, etag })).json();
export const drop = async (path, body, etag) => (await ask("DELETE", path, { body, etag })).json();
export const tick = async (body, etag) => (await ask("POST", "/api/memory/tick", { body, etag })).json();

// Run the agent's command: `hear(name, told)` for each event of the stream; without a stream the answer is returned.
export async function command(body, hear, signal) {
  const answer = await ask("POST", "/api/agents/command", { body, signal });
  if (!answer.headers.get("Content-Type").startsWith("text/event-stream")) return answer.json();
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read().catch(lost);
    if (done) return null;
    const blocks = (rest + value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) tell(block, hear);
  }
}

function tell(block, hear) {
  const lines = block.split("\n");
  const name = lines.find((line) => line.startsWith("event:"))?.slice(6).trim();
  const told = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
  if (name) hear(name, JSON.parse(told));
}
