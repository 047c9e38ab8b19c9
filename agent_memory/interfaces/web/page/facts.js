// The profile of an agent: facts, each with its history. A new value never overwrites the old one.

import { drop, get, post } from "./api.js";
import { button, dialog, fill, h, once, sign, toast, tried, writing } from "./dom.js";
import { versions } from "./entry.js";
import { t } from "./strings.js";

export function facts(page, agent) {
  let editing = null; // the key of the fact whose value is being written
  let shown = [];
  const mine = []; // the facts that were ended from here, the latest last
  const list = h("div", { class: "cards" });
  const creating = h("div", {});
  const count = h("span", { class: "count" });

  async function load() {
    const told = await tried(get("/api/memory/profile", { agentId: agent }), list, load);
    if (!told) return;
    shown = told.facts;
    fill(count, t("factsOf", shown.length));
    if (!editing) draw();
  }

  function draw() {
    fill(list, shown.map(row), !shown.length && h("div", { class: "empty" }, h("p", {}, t("nothing"))));
  }

  function row(fact) {
    const value = h("dd", {}, fact.value);
    const element = h("article", { class: "card fact profile", tabindex: 0, "data-key": fact.key, "aria-label": fact.key },
      h("dl", {}, h("dt", {}, fact.key), value),
      h("footer", {}, h("span", { class: "from" }, fact.vault === "user" ? t("forUser") : agent, ` · ${t("since")} ${fact.validFrom.slice(0, 10)}`, fact.pinned && ` · ${t("pinned")}`),
        h("span", { class: "acts" }, button(t("history"), () => past(fact), { "data-key": `history ${fact.key}` }), sign("edit", t("edit"), () => edit(fact, value), { "data-key": `edit ${fact.key}` }), sign("remove", t("remove"), () => remove(fact), { "data-key": `remove ${fact.key}` }))));
    return element;
  }

  async function past(fact) {
    const told = await tried(get("/api/memory/profile/history", { agentId: agent, key: fact.key }));
    if (told) dialog(fact.key, versions(told.versions));
  }

  function edit(fact, value) {
    if (editing) return;
    editing = fact.key;
    const leave = () => ((editing = null), draw(), [...list.children].find((one) => one.dataset.key === fact.key)?.focus());
    const save = once(async () => box.value.trim() && (await set(fact.key, box.value, fact.vault === "user")) && leave());
    const box = writing({ value: fact.value, "aria-label": t("value") }, { save, leave });
    value.replaceChildren(box, sign("save", t("save"), save, { class: "sign good" }));
    box.focus();
  }

  async function set(key, value, forUser) {
    const told = await tried(post("/api/memory/profile", { agentId: agent, key, value, forUser }));
    if (!told) return false;
    const said = ["unchanged", "blocked"].includes(told.outcome) ? t(told.outcome) : t("saved");
    toast(told.redactions ? t("redacted", told.redactions) : said);
    await load();
    return true;
  }

  const remove = once(async (fact) => {
    const told = await tried(drop("/api/memory/profile", { agentId: agent, key: fact.key }));
    if (!told) return;
    mine.push(fact.id);
    toast(t("deleted"), { undo });
    load();
  });

  async function undo() {
    if (!mine.length) return toast(t("nothingToUndo"));
    if (await tried(post("/api/memory/undo", { id: mine.pop() }))) (toast(t("undone")), load());
  }

  function create() {
    if (creating.firstChild) return creating.querySelector("input").focus();
    const leave = () => creating.replaceChildren();
    const keys = (event) => {
      if (event.key === "Enter") save();
      if (event.key === "Escape") (event.stopPropagation(), leave());
    };
    const key = h("input", { type: "text", placeholder: t("key"), "aria-label": t("key"), onkeydown: keys });
    const value = h("input", { type: "text", placeholder: t("value"), "aria-label": t("value"), onkeydown: keys });
    const everywhere = h("input", { type: "checkbox" });
    const save = once(async () => key.value.trim() && value.value.trim() && (await set(key.value.trim(), value.value, everywhere.checked)) && leave());
    creating.append(h("div", { class: "card new" }, h("div", { class: "pair" }, key, value), h("label", {}, everywhere, ` ${t("forUser")}`),
      h("div", { class: "acts" }, button(t("save"), save, { class: "good" }), button(t("cancel"), leave))));
    key.focus();
  }

  const at = () => shown.findIndex((fact) => list.children[shown.indexOf(fact)]?.contains(document.activeElement));
  const move = (by) => list.children[Math.min(shown.length - 1, Math.max(0, at() < 0 ? 0 : at() + by))]?.focus();
  const focused = (act) => () => at() >= 0 && act(shown[at()], list.children[at()].querySelector("dd"));
  fill(page, h("div", { class: "picks" }, count, button(`+ ${t("newEntry")}`, create, { class: "good" })), creating, list);
  load();
  return {
    keys: { j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1), c: create, u: undo, e: focused(edit), x: focused(remove), Enter: focused(past) },
    pages: (any) => any((one) => one.endsWith("profile.md")) && load(),
    get busy() { return editing !== null || Boolean(creating.firstChild); },
  };
}
