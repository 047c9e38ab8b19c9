// One memory: as a card to read, as a box to write in, and, when somebody was quicker, as both versions.

import { drop, get, post, put, tick } from "./api.js";
import { button, dialog, fill, h, marked, once, safeHtml, sign, toast, tried, writing } from "./dom.js";
import { t, tOf, when } from "./strings.js";

const MINDED = new Set(["superseded", "deprecated", "consolidated", "evicted", "proposed"]);

// A card. `events.changed(id)` is called after a write of ours, `events.left(id, words)` when the memory is gone.
export function card(first, events) {
  let entry = first;
  let box = null; // what is being written in
  const element = h("article", { class: "card", tabindex: 0, "data-id": entry.id });
  const named = () => ({ agentId: entry.agentId, category: entry.category, id: entry.id });

  function read() {
    box = null;
    element.className = `card ${entry.category}`;
    element.dataset.id = entry.id;
    element.setAttribute("aria-label", `${tOf("category", entry.category)}, ${when(entry.date)}`);
    fill(element, head(entry, events.tagged), body(entry, ticked), foot());
  }

  function foot() {
    const proposed = entry.status === "proposed";
    return h("footer", {},
      h("span", { class: "from" }, tOf("by", entry.by), entry.confidence !== null && ` · ${t("confidence", entry.confidence)}`, entry.edited && ` · ${t("edited")}`),
      h("span", { class: "acts" },
        proposed && button(t("accept"), accept, { class: "good" }),
        proposed && button(t("reject"), reject),
        !events.whole && sign("open", t("open"), open),
        !entry.archived && !proposed && sign("edit", t("edit"), edit),
        !entry.archived && !proposed && sign("remove", t("remove"), remove)));
  }

  function attempt(asked) {
    return tried(asked.catch((error) => {
      if (error.status === 412 && error.current) show(error.current);
      throw error;
    }));
  }

  function show(next) {
    if (box) {
      if (next.etag !== entry.etag) element.querySelector(".notice")?.replaceChildren(t("changedElsewhere"));
      return;
    }
    if (next.etag === entry.etag && next.status === entry.status && element.childElementCount) return;
    const focused = element.contains(document.activeElement);
    entry = next;
    read();
    if (focused) element.focus();
  }

  async function edit() {
    if (box || entry.archived || entry.status === "proposed") return;
    if (entry.shortened) {
      const whole = await tried(get("/api/memory/entry", { id: entry.id }));
      if (!whole) return;
      entry = whole.entry;
    }
    write(entry.content);
  }

  function write(text) {
    box = writing({ value: text, "aria-label": t("edit") }, { save, leave });
    fill(element, head(entry), h("p", { class: "notice" }), box, h("div", { class: "acts" }, sign("save", t("save"), save, { class: "sign good" }), button(t("cancel"), leave)));
    box.focus();
    box.setSelectionRange(text.length, text.length);
  }

  function leave() {
    read();
    element.focus();
    events.changed();
  }

  const save = once(async () => {
    const content = box.value;
    if (!content.trim()) return toast(t("emptyText"), { bad: true });
    if (content.trim() === entry.content.trim()) return leave();
    box.readOnly = true;
    try {
      const told = await put("/api/memory/vault", { ...named(), content }, entry.etag);
      entry = told.entry;
      read();
      element.focus();
      toast(told.redactions ? t("redacted", told.redactions) : t("saved"));
      events.changed(entry.id);
    } catch (error) {
      if (!("status" in error)) throw error;
      box.readOnly = false;
      if (error.status === 412 && error.current) clash(error.current, content);
      else toast(error.status === 404 ? t("gone") : error.message, { bad: true });
    }
  });

  // Both versions, and nothing lost of either.
  function clash(theirs, mine) {
    const other = h("div", { class: "version" }, h("h3", {}, t("theirs")), safeHtml(theirs.html));
    const own = h("div", { class: "version" }, h("h3", {}, t("mine")));
    const take = () => ((entry = theirs), (box = null), read(), element.focus());
    const keep = () => ((entry = theirs), save());
    box = writing({ value: mine, "aria-label": t("mine") }, { save: keep, leave: take });
    own.append(box);
    fill(element, h("div", { class: "clash", role: "group", "aria-label": t("conflict") },
      h("h2", {}, t("conflict")), h("p", {}, t("conflictHint")), h("div", { class: "versions" }, other, own),
      h("div", { class: "acts" }, button(t("keepMine"), keep, { class: "good" }), button(t("takeTheirs"), take))));
    box.focus();
    toast(t("conflict"), { bad: true });
  }

  const go = once(async (ask, name) => {
    if (await attempt(ask())) events.left(entry.id, t(name));
  });

  async function remove() {
    if (entry.archived || box) return;
    await go(() => drop("/api/memory/vault", named(), entry.etag), "deleted");
  }

  async function accept() {
    if (entry.status !== "proposed") return;
    await go(() => post("/api/memory/accept", named()), "accepted");
  }

  async function reject() {
    if (entry.status !== "proposed") return;
    await go(() => post("/api/memory/reject", named()), "rejected");
  }

  const ticked = once(async (words) => {
    const told = await attempt(tick({ agentId: entry.agentId, id: entry.id, ...(words ? { words } : {}) }, entry.etag));
    if (!told) return read();
    entry = told.entry;
    read();
    element.focus();
    events.done(entry.id, t("ticked"));
  });

  const open = () => detail(entry.id);
  element.addEventListener("dblclick", (event) => event.target.closest("a,button,input,textarea") || edit());
  read();
  return {
    element, show, edit, remove, accept, reject, open,
    tick: () => entry.openTasks.length && ticked(entry.openTasks[0]),
    get entry() { return entry; },
    get busy() { return box !== null; },
  };
}

function head(entry, tagged = null) {
  const minded = MINDED.has(entry.status);
  return h("header", {},
    h("span", { class: `dot ${entry.category}` }),
    h("time", { datetime: entry.date }, when(entry.date)),
    h("ul", { class: "tags" }, entry.tags.map((tag) => h("li", {}, tagged ? button(`#${tag}`, () => tagged(tag), { class: "link" }) : `#${tag}`))),
    minded && h("span", { class: `status ${entry.status}` }, tOf("status", entry.status)));
}

// The words of a memory; the open boxes of a task are boxes to tick.
function body(entry, ticked) {
  const shown = safeHtml(entry.html);
  const open = [...entry.openTasks];
  const tick = (words) => (event) => ((event.target.disabled = true), ticked(words)); // once, until it is answered
  for (const line of shown.querySelectorAll("li, p")) {
    const text = line.firstChild;
    const mark = text?.nodeType === Node.TEXT_NODE && text.data.match(/^\s*\[( |x|X)\]\s*/);
    if (!mark) continue;
    text.data = text.data.slice(mark[0].length);
    const words = mark[1] === " " ? open.shift() : null;
    line.classList.add("task");
    line.prepend(h("input", { type: "checkbox", checked: mark[1] !== " ", disabled: words === null || words === undefined, "aria-label": words ?? line.textContent.trim().split("\n")[0], onchange: tick(words) }));
  }
  open.forEach((words) => shown.append(h("label", { class: "task" }, h("input", { type: "checkbox", onchange: tick(words) }), words)));
  return shown;
}

// Everything that is known of one memory, in a window of its own.
export async function detail(id) {
  const told = await tried(get("/api/memory/entry", { id }));
  if (!told) return;
  const { entry } = told;
  const undo = async () => (await tried(post("/api/memory/undo", { id }))) && toast(t("undone"));
  const events = {
    whole: true,
    changed: () => {},
    left: (_, words) => (box.close(), toast(words, { undo })),
    done: (_, words) => toast(words, { undo }),
  };
  const place = `#/vault/${encodeURIComponent(entry.agentId)}/${encodeURIComponent(entry.category)}`;
  const box = dialog(tOf("category", entry.category), card(entry, events).element,
    h("p", { class: "from" }, h("a", { href: place, onclick: () => box.close() }, t("vaultOf", entry.agentId)), " · ", h("a", { href: `${place}/${id}` }, `id ${entry.id}`)),
    entry.origin && origin(entry, told.quote),
    told.links.length > 0 && h("section", {}, h("h3", {}, t("links")), h("ul", { class: "links" }, told.links.map((link) =>
      h("li", {}, h("span", { class: "kind" }, `${tOf("kinds", link.kind)} (${tOf("directions", link.direction)}) `),
        button(link.snippet || link.id, () => (box.close(), detail(link.id)), { class: "link" }), MINDED.has(link.status) && h("span", { class: "status" }, tOf("status", link.status)))))),
    told.history.length > 0 && h("section", {}, h("h3", {}, t("history")), versions(told.history)));
  box.classList.add("detail");
}

function origin(entry, quote) {
  const section = h("section", {}, h("h3", {}, t("origin")), h("p", { class: "from" }, entry.origin));
  if (!quote) return section.append(h("p", { class: "hint" }, t("originGone"))), section;
  const letters = Array.from(quote.text);
  const [from, to] = quote.span[1] > quote.span[0] ? quote.span : [0, 0];
  section.append(h("details", { class: "quote", open: true }, h("summary", {}, t(quote.role)),
    h("blockquote", {}, letters.slice(0, from).join(""), to > 0 && h("mark", {}, letters.slice(from, to).join("")), letters.slice(to).join(""))));
  return section;
}

// A fact's values, the oldest first.
export function versions(facts) {
  return h("ol", { class: "versions-of" }, facts.map((fact) =>
    h("li", { class: fact.validTo ? "past" : "" }, h("strong", {}, fact.value), " ",
      h("span", { class: "from" }, `${t("since")} ${when(fact.validFrom)}`, fact.validTo && ` ${t("until")} ${when(fact.validTo)}`))));
}

// What a search found, as a line that opens the memory.
export function result(found, query) {
  const { entry } = found;
  return h("li", {}, button([
    h("span", { class: "where" }, h("span", { class: `dot ${entry.category}` }), `${entry.agentId} · ${tOf("category", entry.category)}`, h("time", { datetime: entry.date }, when(entry.date))),
    h("span", { class: "snippet" }, marked(found.snippet, query)),
  ], () => detail(entry.id), { class: "result" }));
}
