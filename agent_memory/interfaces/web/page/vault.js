// The memories of one agent in one category: a list that grows as one goes down it, kept in step with the disk.

import { get, post } from "./api.js";
import { button, fill, h, once, toast, tried, writing } from "./dom.js";
import { card } from "./entry.js";
import { facts } from "./facts.js";
import { t, tOf } from "./strings.js";

const PART = 50;
const MOST = 100; // that one request may ask for
const KEPT = 300; // what is read again after a change: who has gone further down sees the rest as it was

export const CATEGORIES = ["decisions", "lessons", "handoffs", "tasks", "projects", "notes", "profile", "procedures"];

export function vault(page, { agent, category }) {
  if (category === "profile") return facts(page, agent);
  let show = "active";
  let tag = "";
  let total = 0;
  let asked = 0; // the newest question's number: an older answer is dropped
  const mine = []; // the memories that were changed from here, the latest last: what `u` takes back
  const cards = new Map();
  const list = h("div", { class: "cards", role: "feed", "aria-label": tOf("category", category) });
  const foot = h("div", { class: "list-foot" });
  const picks = h("div", { class: "picks" });
  const creating = h("div", {});
  const watcher = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && more(), { rootMargin: "600px" });
  const events = {
    changed: (id) => (id && mine.push(id), load()),
    left: (id, words) => (mine.push(id), focusAfter(id), load(), toast(words, { undo: () => undo(id) })),
    tagged: (name) => ((tag = name), again()),
    done: (id, words) => (mine.push(id), toast(words, { undo: () => undo(id) })),
  };

  async function part(offset, limit) {
    return get("/api/memory/vault", { agentId: agent, category, show, tag, offset, limit });
  }

  // Read again what is shown, a hundred at a time.
  async function load() {
    const question = ++asked;
    const wanted = Math.max(PART, Math.min(KEPT, cards.size));
    const found = [];
    let told;
    do {
      told = await tried(part(found.length, Math.min(MOST, wanted - found.length)), foot, load);
      if (!told || question !== asked) return;
      found.push(...told.entries);
    } while (found.length < Math.min(wanted, told.total) && told.entries.length);
    total = told.total;
    const ids = new Set(found.map((one) => one.id));
    const further = [...cards.values()].slice(wanted).map((one) => one.entry).filter((one) => !ids.has(one.id));
    lay([...found, ...further].slice(0, Math.max(total, found.length)));
    pick(told.tags);
  }

  async function more() {
    if (cards.size >= total) return;
    const question = asked;
    const told = await tried(part(cards.size, PART));
    if (!told || question !== asked) return;
    total = told.total;
    lay([...[...cards.values()].map((one) => one.entry), ...told.entries]);
  }

  // Put the cards in this order; one that is being written in keeps its box and stays, whatever became of its memory.
  function lay(entries) {
    const ids = new Set(entries.map((one) => one.id));
    for (const [id, one] of cards) if (!ids.has(id) && !one.busy) (one.element.remove(), cards.delete(id));
    let before = null;
    for (const entry of entries) {
      if (cards.has(entry.id)) cards.get(entry.id).show(entry);
      else cards.set(entry.id, card(entry, events));
      const { element } = cards.get(entry.id);
      const place = before ? before.nextSibling : list.firstChild;
      if (element !== place) list.insertBefore(element, place);
      before = element;
    }
    // A Map keeps the order of insertion, which paging and the keys rely on.
    const of = new Map([...cards.values()].map((one) => [one.element, one]));
    cards.clear();
    for (const element of list.children) {
      cards.set(of.get(element).entry.id, of.get(element));
      element.setAttribute("aria-posinset", cards.size);
      element.setAttribute("aria-setsize", total);
    }
    const rest = total - cards.size;
    fill(foot, rest > 0 && button(`${t("more")} (${rest})`, more),
      !total && !cards.size && h("div", { class: "empty" }, h("p", {}, t("nothing")), show === "active" && h("p", { class: "hint" }, t("nothingHint"))));
  }

  function pick(tags) {
    const shows = [["active", "active"], ["proposed", "proposals"], ["archived", "archived"], ["all", "all"]];
    const shown = h("select", { "aria-label": t("show"), onchange: (event) => ((show = event.target.value), again()) },
      shows.map(([value, name]) => h("option", { value, selected: value === show }, t(name))));
    const tagged = h("select", { "aria-label": t("tag"), onchange: (event) => ((tag = event.target.value), again()) },
      h("option", { value: "" }, t("everyTag")), tags.map((one) => h("option", { value: one.name, selected: one.name === tag }, `#${one.name} (${one.count})`)));
    if (picks.contains(document.activeElement)) return; // never under the hand of who is choosing
    fill(picks, h("span", { class: "count" }, t("entriesOf", total)), shown, tagged, button(`+ ${t("newEntry")}`, create, { class: "good" }));
  }

  function again() {
    for (const [id, one] of cards) if (!one.busy) (one.element.remove(), cards.delete(id));
    document.activeElement?.blur();
    load();
  }

  function create() {
    if (creating.firstChild) return creating.querySelector("textarea").focus();
    const leave = () => (creating.replaceChildren(), list.firstElementChild?.focus());
    const save = once(async () => {
      if (!box.value.trim()) return leave();
      const named = tags.value.split(",").map((one) => one.trim().replace(/^#/, "")).filter(Boolean);
      const told = await tried(post("/api/memory/vault", { agentId: agent, category, content: box.value, tags: named }));
      if (!told) return;
      creating.replaceChildren();
      mine.push(told.entry.id);
      toast(told.redactions ? t("redacted", told.redactions) : t("saved"), { undo: () => undo(told.entry.id) });
      await load();
      cards.get(told.entry.id)?.element.focus();
    });
    const box = writing({ placeholder: t("newHint"), "aria-label": t("create") }, { save, leave });
    const tags = h("input", { type: "text", placeholder: t("tagsHint"), "aria-label": t("tagsHint"), onkeydown: (event) => {
      if (event.key === "Enter") save();
      if (event.key === "Escape") (event.stopPropagation(), leave());
    } });
    creating.append(h("div", { class: "card new" }, box, tags, h("div", { class: "acts" }, button(t("save"), save, { class: "good" }), button(t("cancel"), leave))));
    box.focus();
  }

  async function undo(id = mine.at(-1)) {
    if (!id) return toast(t("nothingToUndo"));
    mine.splice(mine.lastIndexOf(id), 1);
    if (await tried(post("/api/memory/undo", { id }))) (toast(t("undone")), load());
  }

  const focused = () => [...cards.values()].find((one) => one.element.contains(document.activeElement));

  function move(by) {
    const all = [...cards.values()];
    const at = all.indexOf(focused());
    const next = all[at < 0 ? 0 : Math.min(all.length - 1, Math.max(0, at + by))];
    next?.element.focus();
    next?.element.scrollIntoView({ block: "nearest" });
  }

  function focusAfter(id) {
    const all = [...cards.values()];
    const at = all.findIndex((one) => one.entry.id === id);
    (all[at + 1] ?? all[at - 1])?.element.focus();
  }

  const acts = {
    j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1),
    c: create, u: () => undo(),
    Enter: () => focused()?.open(), e: () => focused()?.edit(), x: () => focused()?.remove(), Delete: () => focused()?.remove(),
    " ": () => focused()?.tick(), y: () => focused()?.accept(), n: () => focused()?.reject(),
  };

  fill(page, picks, creating, list, foot);
  watcher.observe(foot);
  load();
  return {
    keys: acts,
    pages: (any) => any((one) => one === `${agent}/${category}.md` || one === `${agent}/archive/${category}.md`) && load(),
    leave: () => watcher.disconnect(),
    get busy() { return [...cards.values()].some((one) => one.busy) || Boolean(creating.firstChild); },
  };
}
