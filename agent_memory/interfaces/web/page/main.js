// The page: who the agents are, where one is, which key does what, and what the server tells of.

import { get, post } from "./api.js";
import { briefing } from "./briefing.js";
import { chat } from "./chat.js";
import { dialog, fill, h, has, sign, tried } from "./dom.js";
import { detail } from "./entry.js";
import { icon } from "./icons.js";
import { project } from "./project.js";
import { search } from "./search.js";
import { keys, language, phrase, t, tOf } from "./strings.js";
import { statistics, upkeep } from "./upkeep.js";
import { CATEGORIES, vault } from "./vault.js";

const COMPACT_MS = 10 * 60_000;
const SECTIONS = ["project", "briefing", "upkeep", "stats"];
const narrow = matchMedia("(max-width: 60rem)");
const side = document.getElementById("side");
const main = document.getElementById("main");
const drawer = document.getElementById("chat");
const top = h("header", { class: "top" });
const results = h("div", { class: "view", hidden: true });
const view = h("div", { class: "view" });
const silent = h("p", { class: "silent", role: "alert", hidden: true });

let overview = null;
let place = { name: "vault", agent: "", category: "decisions" };
let current = null; // what is shown: its keys, what to do when pages change, how to leave it
let talking = null;
let filter = "";
let finder = null;

const vaultHash = (agent, category) => `#/vault/${encodeURIComponent(agent)}/${encodeURIComponent(category)}`;
const agents = () => (overview.agents.length ? overview.agents.map((one) => one.agentId) : [overview.agentId]);

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // an address that somebody mistyped
  }
}

const categories = () => CATEGORIES.concat(overview.categories.filter((one) => !CATEGORIES.includes(one)));

// Where an address leads: `lost` says what in it there is not.
function read(hash) {
  const [name, agent, category, id = ""] = hash.replace(/^#\/?/, "").split("/").map(decoded);
  const known = agents().includes(agent) ? agent : agents().includes(overview.agentId) ? overview.agentId : agents()[0];
  const at = { name: SECTIONS.includes(name) ? name : "vault", agent: known, category: categories().includes(category) ? category : place.category, id };
  if (name && name !== at.name) return { ...at, lost: t("noPlace", name) };
  if (agent && agent !== known) return { ...at, lost: t("noAgent", agent) };
  if (category && category !== at.category) return { ...at, lost: t("noCategory", category) };
  return at;
}

const isWriting = () => current?.busy || document.querySelector("dialog textarea") !== null;

function go() {
  if (isWriting() && !confirm(t("leaveWriting"))) return history.replaceState(null, "", address(place));
  document.querySelector("dialog[open]")?.close();
  current?.leave?.();
  place = read(location.hash);
  const was = main.contains(document.activeElement);
  finder.leave();
  drawSide();
  view.replaceChildren();
  main.scrollTop = 0;
  document.title = `${place.name === "vault" ? `${tOf("category", place.category)} · ${place.agent}` : t(place.name)} – ${t("title")}`;
  current = open();
  if (place.id && !place.lost) detail(place.id);
  if (was) (view.querySelector('[role="tab"][aria-selected="true"]') ?? main).focus();
}

const address = (at) => (at.name === "vault" ? vaultHash(at.agent, at.category) : `#/${at.name}/${encodeURIComponent(at.agent)}`);

function open() {
  if (place.lost) return lost();
  if (place.name === "project") return project(view);
  if (place.name === "briefing") return briefing(view, place, agents());
  if (place.name === "upkeep") return upkeep(view);
  if (place.name === "stats") return statistics(view);
  const panel = h("div", { id: "panel", role: "tabpanel", "aria-label": tOf("category", place.category) });
  fill(view, h("h1", { class: "unseen" }, t("vaultOf", place.agent)), tabs(), panel);
  view.querySelector('[role="tab"][aria-selected="true"]')?.scrollIntoView({ block: "nearest", inline: "center" });
  return vault(panel, place);
}

// Nothing is shown as if it were what was asked for.
function lost() {
  const there = h("a", { href: vaultHash(place.agent, place.category) }, t("goTo", t("vaultOf", place.agent)));
  fill(view, h("div", { class: "empty" }, h("h1", {}, place.lost), h("p", {}, there)));
  return { keys: {} };
}

function tabs() {
  const counts = overview.agents.find((one) => one.agentId === place.agent)?.counts ?? {};
  const step = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const all = categories();
    location.hash = vaultHash(place.agent, all[(all.indexOf(place.category) + by + all.length) % all.length]);
  };
  return h("div", { class: "tabs", role: "tablist", "aria-label": t("categories"), onkeydown: step }, categories().map((one) =>
    h("a", { role: "tab", href: vaultHash(place.agent, one), "aria-selected": one === place.category ? "true" : "false", "aria-controls": "panel", tabindex: one === place.category ? 0 : -1 },
      h("span", { class: `dot ${one}` }), tOf("category", one), counts[one] ? h("span", { class: "tab-count" }, String(counts[one])) : null)));
}

function drawSide() {
  const shown = overview.agents.filter((one) => has(one.agentId, filter));
  const box = h("input", { id: "filter", type: "search", placeholder: t("filterAgents"), "aria-label": t("filterAgents"), value: filter, oninput: (event) => ((filter = event.target.value), drawSide()) });
  const link = (name) => h("a", { href: `#/${name}/${encodeURIComponent(place.agent)}`, "aria-current": place.name === name ? "page" : null }, icon(name), t(name));
  fill(side,
    h("div", { class: "brand" }, h("img", { src: "icon.svg", alt: "", width: 28, height: 28 }), h("div", {}, h("strong", {}, t("title")), h("span", { class: "from", title: overview.folder }, overview.folder.split("/").slice(-2).join("/")))),
    h("nav", { "aria-label": t("agents") }, h("h2", {}, t("agents")), overview.agents.length ? box : h("p", { class: "hint" }, t("noAgents")),
      h("ul", { class: "agents" }, shown.map(agentRow))),
    h("nav", { "aria-label": t("sections"), class: "sections" }, SECTIONS.map(link),
      h("button", { type: "button", onclick: help }, icon("help"), t("help"))),
    overview.unreadable.length > 0 && h("div", { class: "hint bad" }, h("p", {}, t("unreadable")), h("ul", {}, overview.unreadable.map((one) => h("li", {}, phrase(one))))));
  if (narrow.matches) side.querySelector("li.here")?.scrollIntoView({ block: "nearest", inline: "start" });
}

function agentRow(one) {
  const more = [one.openTasks && t("openTasks", one.openTasks), one.proposed && t("proposed", one.proposed)].filter(Boolean).join(" · ");
  const here = place.name === "vault" && place.agent === one.agentId;
  return h("li", { class: here ? "here" : "" },
    h("a", { href: vaultHash(one.agentId, place.category), "aria-current": here ? "page" : null, title: t("vaultOf", one.agentId) },
      h("span", { class: "name" }, icon("vault"), one.agentId), h("span", { class: "from" }, t("entriesOf", one.total), more && ` · ${more}`)),
    sign("chat", t("chatWith", one.agentId), () => talk(one.agentId), { class: talking?.agent === one.agentId ? "sign on" : "sign" }));
}

async function talk(agent) {
  if (talking?.agent === agent) return unfold(true);
  if (talking && talking.begun && !confirm(t("switchChat", talking.agent))) return;
  if (talking) await talking.end();
  if (talking) return; // it could not be saved, and stays
  talking = chat(drawer, agent, {
    hasCommand: overview.hasCommand,
    openVault: () => ((location.hash = vaultHash(agent, place.category)), aside()),
    aside,
    closed: () => ((talking = null), unfold(false), drawSide()),
  });
  unfold(true);
  drawSide();
}

// The chat beside the memories or, where there is no room for both, over them; folded away its session goes on.
function unfold(on) {
  drawer.hidden = !on;
  document.body.classList.toggle("chatting", on);
  side.inert = main.inert = on && narrow.matches;
  if (on) drawer.querySelector("textarea")?.focus();
  else main.focus();
}

const aside = () => (narrow.matches ? unfold(false) : main.focus());

function help() {
  dialog(t("help"), h("dl", { class: "keys" }, Object.entries(keys).flatMap(([key, does]) => [h("dt", {}, key.split(" ").map((one) => h("kbd", {}, one))), h("dd", {}, does)])));
}

async function refresh() {
  const told = await get("/api/memory/overview").catch(() => null);
  if (!told) return;
  overview = told;
  if (place.lost && !read(location.hash).lost) return go();
  drawSide();
  const bar = view.querySelector(".tabs");
  if (bar) fill(bar, ...tabs().childNodes);
}

function nextAgent(by) {
  const all = agents();
  location.hash = vaultHash(all[(all.indexOf(place.agent) + by + all.length) % all.length], place.category);
}

const global = {
  "/": () => finder.focus(), "?": help, g: () => (location.hash = `#/briefing/${encodeURIComponent(place.agent)}`), m: () => talk(place.agent),
  "[": () => nextAgent(-1), "]": () => nextAgent(1),
  ...Object.fromEntries(CATEGORIES.map((one, index) => [String(index + 1), () => (location.hash = vaultHash(place.agent, one))])),
};

function press(event) {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
  if (document.querySelector("dialog[open]") || drawer.contains(target)) return;
  if (target.closest("input, textarea, select, pre")) return key === "Escape" && main.focus();
  if ((key === "Enter" || key === " ") && target.closest("button, a, summary")) return;
  const moves = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
  const act = finder.open ? (key in moves ? () => finder.move(moves[key]) : key === "Escape" ? finder.leave : global[key]) : current?.keys[key] ?? global[key];
  if (!act) return;
  event.preventDefault();
  act();
}

// What the server tells of; after a silence everything that is shown is read again, and what is being written stays.
// A tab that nobody looks at does not listen: a browser has six connections to one host, for all its tabs together.
function listen() {
  let events = null;
  let known = false;
  const follow = () => {
    if (document.hidden) events = events?.close() ?? null;
    else events ??= hear();
  };
  const hear = () => {
    const heard = new EventSource("/api/events");
    heard.addEventListener("error", () => (silent.hidden = false));
    heard.addEventListener("hello", () => {
      silent.hidden = true;
      if (known) changed(null);
      known = true;
    });
    heard.addEventListener("pages", (event) => changed(JSON.parse(event.data).pages));
    heard.addEventListener("compaction", (event) => current?.compaction?.(JSON.parse(event.data)));
    return heard;
  };
  document.addEventListener("visibilitychange", follow);
  follow();
}

function changed(pages) {
  current?.pages?.((is) => !pages || pages.some(is));
  finder.again();
  refresh();
}

const compactIfDue = () => post("/api/memory/compact", { ifDue: true }).catch(() => null); // somebody else's lock: the next time

async function start() {
  document.documentElement.lang = language;
  document.title = t("title");
  silent.textContent = t("lostServer");
  document.querySelector(".skip").textContent = t("skip");
  document.querySelector(".skip").addEventListener("click", (event) => (event.preventDefault(), main.focus()));
  overview = await tried(get("/api/memory/overview"), view, start);
  if (!overview) return main.replaceChildren(view);
  main.replaceChildren(silent, top, results, view);
  finder = search(top, results, view, categories);
  addEventListener("hashchange", go);
  addEventListener("keydown", press);
  addEventListener("beforeunload", (event) => (isWriting() || talking?.writing) && event.preventDefault());
  narrow.addEventListener("change", () => talking && unfold(!drawer.hidden));
  place.agent = read("").agent;
  go();
  listen();
  compactIfDue();
  setInterval(compactIfDue, COMPACT_MS);
}

start();
