// Compaction, what was done, and statistics.

import { get, post } from "./api.js";
import { button, fill, h, once, toast, tried } from "./dom.js";
import { phrase, served, t, tOf, when } from "./strings.js";

const COUNTS = ["checkpointsCleaned", "conversationsTrimmed", "vaultEntriesMerged", "legacyFilesCleaned"];

export function upkeep(page) {
  const plan = h("div", {});
  const last = h("div", {});
  const runs = h("ol", { class: "runs" });
  const run = button(t("compactNow"), once(compact), { class: "good" });
  const busy = h("div", { class: "busy", role: "status", hidden: true });

  // Show how far a compaction is, whoever has begun it: `done` steps of `steps`, and the one it is at.
  function working({ running, step = "", done = 0, steps = 1 }) {
    run.disabled = running !== null;
    busy.hidden = running === null;
    fill(busy, h("progress", { max: steps, value: done, "aria-label": t("running") }), h("span", { class: "hint" }, t("running"), ` ${tOf("steps", step)}`));
  }

  async function compact() {
    working({ running: "" });
    const told = await tried(post("/api/memory/compact"));
    working({ running: null });
    if (told) toast(t("compacted"));
    load();
  }

  async function load() {
    const [planned, state, done] = await Promise.all([get("/api/memory/compact/plan"), get("/api/memory/compact"), get("/api/memory/changes", { limit: 30 })].map(tried));
    if (planned) fill(plan, planned.plan.length ? h("ul", {}, planned.plan.map((one) => h("li", {}, phrase(one)))) : h("p", { class: "hint" }, t("planEmpty")), planned.troubles.length > 0 && h("ul", { class: "bad" }, planned.troubles.map((one) => h("li", {}, phrase(one)))));
    if (state) (working(state), fill(last, state.last ? counts(state.last) : h("p", { class: "hint" }, t("never"))));
    if (done) fill(runs, done.runs.map(line), !done.runs.length && h("li", { class: "hint" }, t("never")));
  }

  function counts(told) {
    return h("div", {}, told.timestamp && h("p", {}, when(told.timestamp)), h("ul", {}, COUNTS.map((name) => h("li", {}, `${told[name] ?? 0} ${t(name)}`))));
  }

  function line(one) {
    const shown = one.changes.slice(0, 3).map((change) => h("li", {}, h("b", {}, served("OPS", change.op)), ` ${change.page} · ${change.snippet}`));
    const rest = one.changes.length - 3;
    return h("li", { class: one.undone ? "past" : "" }, h("div", {}, h("time", {}, when(one.at)), " ", h("b", {}, served("VERBS", one.verb)), !one.undone && !one.undoes && button(t("undo"), () => undo(one.run), { class: "link", "data-key": one.run })), h("ul", {}, shown, rest > 0 && h("li", { class: "hint" }, `+ ${rest}`)));
  }

  async function undo(id) {
    if (await tried(post("/api/memory/undo", { id }))) (toast(t("undone")), load());
  }

  fill(page, h("div", { class: "view-head" }, h("h1", {}, t("upkeep"))),
    h("div", { class: "columns" },
      h("section", { class: "card" }, h("h2", {}, t("compaction")), h("p", { class: "hint" }, t("compactionHint")), h("h3", {}, t("planNow")), plan, run, busy, h("h3", {}, t("last")), last),
      h("section", { class: "card" }, h("h2", {}, t("activity")), runs)));
  load();
  return { keys: { u: () => undo(undefined) }, pages: () => load(), compaction: (told) => (working(told), told.running === null && load()) };
}

export function statistics(page) {
  const shown = h("div", {});
  async function load() {
    const told = await tried(Promise.all([get("/api/stats"), get("/api/memory/stats")]), shown, load);
    if (!told) return;
    const [short, long] = told;
    const names = [...new Set(short.agentStats.flatMap((one) => Object.keys(one.counts)))].filter((name) => short.agentStats.some((one) => one.counts[name]));
    const most = Math.max(1, ...short.agentStats.map((one) => one.total));
    fill(shown,
      h("section", { class: "card" }, h("h2", {}, t("entriesOf", short.totalEntries)), h("div", { class: "scroll" }, h("table", { class: "numbers" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("agents")), names.map((name) => h("th", { scope: "col", class: "number" }, tOf("category", name))), h("th", { scope: "col", class: "number" }, t("total")), h("th", {}))),
        h("tbody", {}, short.agentStats.map((one) => h("tr", {}, h("th", { scope: "row" }, one.agentId), names.map((name) => h("td", { class: "number" }, String(one.counts[name] ?? 0))), h("td", { class: "number" }, h("b", {}, String(one.total))), h("td", { class: "wide" }, meter(one, names, most)))))))),
      h("section", { class: "card" }, h("h2", {}, t("models")), tree(summed(long.models))));
  }
  fill(page, h("div", { class: "view-head" }, h("h1", {}, t("stats"))), shown);
  load();
  return { keys: {}, pages: () => load() };
}

function meter(one, names, most) {
  return h("span", { class: "meter", "aria-hidden": "true" }, names.map((name) => {
    const piece = h("span", { class: `fill ${name}`, title: tOf("category", name) });
    piece.style.width = `${(100 * (one.counts[name] ?? 0)) / most}%`;
    return piece;
  }));
}

// Whatever the server counts, as a list of lists: a new number needs no new line here.
function tree(value) {
  if (value === null || typeof value !== "object") return h("span", {}, value === null ? "–" : String(value));
  if (Array.isArray(value)) return value.length ? h("ul", {}, value.map((one) => h("li", {}, tree(one)))) : h("span", {}, "–");
  const rows = Object.entries(value);
  return rows.length ? h("dl", { class: "tree" }, rows.flatMap(([name, one]) => [h("dt", {}, spaced(name)), h("dd", {}, tree(one))])) : h("span", {}, "–");
}

// What stands above already is not said again; a month's categories are added up.
function summed({ memories: { active, neverOldest, byMonth, ...memories }, ...models }) {
  const total = (counts) => Object.values(counts).reduce((sum, one) => sum + one, 0);
  return { ...models, memories: { ...memories, byMonth: Object.fromEntries(Object.entries(byMonth).map(([month, counts]) => [month, total(counts)])) } };
}

function spaced(name) {
  const known = [tOf("by", name), served("NUMBERS", name)].find((one) => one !== name);
  return known ?? name.replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`);
}
