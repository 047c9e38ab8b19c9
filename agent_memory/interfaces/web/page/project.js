// The page that every agent shares: read, written, and never lost to a quicker hand.

import { get, put } from "./api.js";
import { button, fill, h, once, safeHtml, toast, tried } from "./dom.js";
import { t } from "./strings.js";

const count = (text) => text.split(/\s+/).filter(Boolean).length;

export function project(page) {
  let held = null;
  let box = null;
  const body = h("article", { class: "card sheet" });
  const words = h("span", { class: "count" });
  const acts = h("span", { class: "acts" });

  async function load() {
    const told = await tried(get("/api/memory/project"), body, load);
    if (!told) return;
    if (box) {
      if (told.etag !== held.etag) fill(body.querySelector(".notice"), t("changedElsewhere"));
      return;
    }
    held = told;
    read();
  }

  function read() {
    box = null;
    fill(words, t("words", held.words));
    fill(acts, button(t("edit"), edit, { class: "good" }));
    fill(body, held.content.trim() ? safeHtml(held.html) : h("p", { class: "hint" }, t("projectEmpty")));
  }

  function edit() {
    if (!held) return; // it is still on its way
    if (box) return box.focus();
    write(held.content);
  }

  function write(text, theirs = null) {
    box = h("textarea", { class: "long", value: text, "aria-label": t("project"), spellcheck: "true" });
    box.addEventListener("input", () => fill(words, t("words", count(box.value))));
    box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") (event.stopPropagation(), leave());
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
    });
    fill(acts, button(theirs ? t("keepMine") : t("save"), save, { class: "good" }), button(theirs ? t("takeTheirs") : t("cancel"), leave));
    const other = theirs && h("div", { class: "version" }, h("h3", {}, t("theirs")), safeHtml(theirs.html));
    const own = theirs ? h("div", { class: "version" }, h("h3", {}, t("mine")), box) : box;
    fill(body, theirs && h("h2", {}, t("conflict")), h("p", { class: "notice" }, theirs ? t("conflictHint") : ""), theirs ? h("div", { class: "versions" }, other, own) : own);
    box.focus();
  }

  function leave() {
    box = null;
    load();
    acts.querySelector("button")?.focus();
  }

  const save = once(async () => {
    const content = box.value;
    try {
      held = await put("/api/memory/project", { content }, held.etag);
      read();
      toast(held.redactions ? t("redacted", held.redactions) : t("saved"));
    } catch (error) {
      if (error.status !== 412) return toast(error.message, { bad: true });
      held = (await tried(get("/api/memory/project"))) ?? held;
      toast(t("conflict"), { bad: true });
      write(content, held);
    }
  });

  fill(page, h("div", { class: "view-head" }, h("div", {}, h("h1", {}, t("project")), h("p", { class: "hint" }, t("projectHint"))), words, acts), body);
  load();
  return { keys: { e: edit }, pages: (any) => any((one) => one === "_project.md") && load(), get busy() { return box !== null; } };
}
