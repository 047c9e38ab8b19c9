// Search as one types: what is found stands in place of the memories, until the box is empty again.

import { get } from "./api.js";
import { fill, h, say, sign, tried } from "./dom.js";
import { result } from "./entry.js";
import { t, tOf } from "./strings.js";

const PAUSE_MS = 300;
const MOST = 15;

export function search(holder, shown, view, categories) {
  let timer = 0;
  let running = null;
  const box = h("input", { type: "search", placeholder: t("searchHint"), "aria-label": t("search"), autocomplete: "off", oninput: soon });
  const category = h("select", { "aria-label": t("categories"), onchange: find }, h("option", { value: "" }, t("everyCategory")), categories().map((one) => h("option", { value: one }, tOf("category", one))));
  const tag = h("input", { type: "text", class: "tag-box", placeholder: `#${t("tag").toLowerCase()}`, "aria-label": t("tag"), autocomplete: "off", oninput: soon });
  const leaveSign = sign("close", t("closeSearch"), leave, { hidden: true });

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(find, PAUSE_MS);
  }

  async function find() {
    clearTimeout(timer);
    running?.abort();
    const q = box.value.trim();
    const named = tag.value.trim().replace(/^#/, "");
    if (!q && !named) return hide();
    const mine = (running = new AbortController());
    const told = await tried(get("/api/memory/search", { q, category: category.value, tag: named, limit: MOST }, mine.signal));
    if (!told || mine.signal.aborted) return;
    fill(shown, h("p", { class: "count" }, t("found", told.results.length)), h("ol", { class: "results" }, told.results.map((one) => result(one, q))));
    shown.hidden = leaveSign.hidden = false;
    view.hidden = true;
    say(t("found", told.results.length));
  }

  function hide() {
    shown.hidden = leaveSign.hidden = true;
    view.hidden = false;
  }

  function leave() {
    running?.abort();
    box.value = tag.value = "";
    hide();
    if (holder.contains(document.activeElement)) document.getElementById("main").focus();
  }

  const move = (by) => {
    const all = [...shown.querySelectorAll("button.result")];
    all[Math.min(all.length - 1, Math.max(0, all.indexOf(document.activeElement) + by))]?.focus();
  };
  const keys = (event) => {
    if (event.key === "Escape") (event.preventDefault(), leave());
    if (event.key === "Enter" || event.key === "ArrowDown") (event.preventDefault(), shown.hidden || move(1));
  };
  box.addEventListener("keydown", keys);
  tag.addEventListener("keydown", keys);
  holder.append(h("div", { class: "search", role: "search" }, box, category, tag, leaveSign));
  return { again: () => shown.hidden || soon(), focus: () => (box.focus(), box.select()), leave, move, get open() { return !shown.hidden; } };
}
