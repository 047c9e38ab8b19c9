// Compaction, what was done, and statistics.

import { get, post } from "./api.js";
import { button, fill, h, toast } from "./dom.js";
import { t, when } from "./strings.js";

const COUNTS = ["checkpointsCleaned", "conversationsTrimmed", "vaultEntriesMerged", "legacyFilesCleaned"];

const refused = (error) => {
  if (!("status" in error)) throw error;
  toast(error.message, { bad: true });
  return null;
};

export function upkeep(page) {
  const plan = h("div", {});
  const last = h("div", {});
  const runs = h("ol", { class: "runs" });
  const run = button(t("compactNow"), compact, { class: "good" });
  const busy = h("progress", { hidden: true, "aria-label": t("running") });

  function working(on) {
    run.disabled = on;
    busy.hidden = !on;
  }

  async function compact() {
    working(true);
    const told = await post("/api/memory/compact").catch(refused);
    working(false);
    if (told) toast(t("compacted"));
    load();
  }

  async function load() {
    const [planned, state, done] = await Promise.all([get("/api/memory/compact/plan").catch(refused), get("/api/memory/compact").catch(refused), get("/api/memory/changes", { limit: 30 }).catch(refused)]);
    if (planned) fill(plan, planned.plan.length ? h("ul", {}, planned.plan.map((one) => h("li", {}, one))) : h("p", { class: "hint" }, t("planEmpty")), planned.troubles.length > 0 && h("ul", { class: "bad" }, planned.troubles.map((one) => h("li", {}, one))));
    if (state) (working(state.running !== null), fill(last, state.last ? counts(state.last) : h("p", { class: "hint" }, t("never"))));
    if (done) fill(runs, done.runs.map(line));
  }

  function counts(told) {
    return h("div", {}, told.timestamp && h("p", {}, when(told.timestamp)), h("ul", {}, COUNTS.map((name) => h("li", {}, `${told[name] ?? 0} ${t(name)}`))));
  }

  function line(one) {
    const shown = one.changes.slice(0, 3).map((change) => h("li", {}, h("b", {}, change.op), ` ${change.page} · ${change.snippet}`));
    const rest = one.changes.length - 3;
    return h("li", { class: one.undone ? "past" : "" }, h("div", {}, h("time", {}, when(one.at)), " ", h("b", {}, one.verb), !one.undone && !one.undoes && button(t("undo"), () => undo(one.run), { class: "link" })), h("ul", {}, shown, rest > 0 && h("li", { class: "hint" }, `+ ${rest}`)));
  }

  async function undo(id) {
    if (await post("/api/memory/undo", { id }).catch(refused)) (toast(t("undone")), load());
  }

  fill(page, h("div", { class: "view-head" }, h("h1", {}, t("upkeep"))),
    h("div", { class: "columns" },
      h("section", { class: "card" }, h("h2", {}, t("compaction")), h("p", { class: "hint" }, t("compactionHint")), h("h3", {}, t("planNow")), plan, run, busy, h("h3", {}, t("last")), last),
      h("section", { class: "card" }, h("h2", {}, t("activity")), runs)));
  load();
  return { keys: { u: () => undo(undefined) }, pages: () => load(), compaction: (told) => (working(told.running !== null), told.running === null && load()) };
}

export function statistics(page) {
  const shown = h("div", {});
  async function load() {
    const [short, long] = await Promise.all([get("/api/stats").catch(refused), get("/api/memory/stats").catch(refused)]);
    if (!short || !long) return;
    const names = [...new Set(short.agentStats.flatMap((one) => Object.keys(one.counts)))].filter((name) => short.agentStats.some((one) => one.counts[name]));
    const most = Math.max(1, ...short.agentStats.map((one) => one.total));
    fill(shown,
      h("section", { class: "card" }, h("h2", {}, t("entriesOf", short.totalEntries)), h("div", { class: "scroll" }, h("table", { class: "numbers" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("agents")), names.map((name) => h("th", { scope: "col", class: "number" }, t(name))), h("th", { scope: "col", class: "number" }, t("total")), h("th", {}))),
        h("tbody", {}, short.agentStats.map((one) => h("tr", {}, h("th", { scope: "row" }, one.agentId), names.map((name) => h("td", { class: "number" }, String(one.counts[name] ?? 0))), h("td", { class: "number" }, h("b", {}, String(one.total))), h("td", { class: "wide" }, meter(one, names, most)))))))),
      h("section", { class: "card" }, h("h2", {}, t("models")), tree(long.models)));
  }
  fill(page, h("div", { class: "view-head" }, h("h1", {}, t("stats"))), shown);
  load();
  return { keys: {}, pages: () => load() };
}

function meter(one, names, most) {
  return h("span", { class: "meter", "aria-hidden": "true" }, names.map((name) => {
    const piece = h("span", { class: `fill ${name}`, title: t(name) });
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

const spaced = (name) => name.replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`);
