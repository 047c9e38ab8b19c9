// What an agent would be told for a prompt, and what its tokens are spent on.

import { get } from "./api.js";
import { button, fill, h, say, tried } from "./dom.js";
import { detail } from "./entry.js";
import { phrase, served, t, tOf } from "./strings.js";

const PAUSE_MS = 300;

export function briefing(page, { agent }, agents) {
  let timer = 0;
  let asked = 0;
  const prompt = h("textarea", { rows: 2, placeholder: t("promptHint"), "aria-label": t("prompt"), oninput: soon });
  const kind = h("select", { "aria-label": t("kind"), onchange: load }, ["session", "turn"].map((one) => h("option", { value: one }, t(one))));
  const budget = h("input", { type: "number", min: 50, max: 100000, step: 50, placeholder: "2000", "aria-label": t("budget"), oninput: soon });
  const whose = h("select", { "aria-label": t("agents"), onchange: (event) => (location.hash = `#/briefing/${encodeURIComponent(event.target.value)}`) },
    agents.map((one) => h("option", { value: one, selected: one === agent }, one)));
  const shown = h("div", {});

  function soon() {
    clearTimeout(timer);
    timer = setTimeout(load, PAUSE_MS);
  }

  async function load() {
    const mine = ++asked;
    const told = await tried(get("/api/memory/context", { agentId: agent, command: prompt.value, kind: kind.value, budget: budget.value }), shown, load);
    if (told && mine === asked) draw(told);
  }

  function draw(told) {
    const spent = told.sections.reduce((sum, one) => sum + one.tokens, 0);
    const parts = [...told.sections.map((one, index) => ({ ...one, name: served("SECTIONS", one.name), hue: index % 6 })), { name: t("frame"), tokens: Math.max(0, told.tokens - spent), hue: 6 }].filter((one) => one.tokens > 0);
    const bar = h("div", { class: "bar", role: "img", "aria-label": t("ofTokens", told.tokens, told.maxTokens) }, parts.map((one) => {
      const piece = h("span", { class: `hue${one.hue}`, title: `${one.name}: ${t("tokens", one.tokens)}` });
      piece.style.width = `${(100 * one.tokens) / Math.max(told.maxTokens, told.tokens)}%`;
      return piece;
    }));
    const legend = h("ul", { class: "legend" }, parts.map((one) => h("li", {}, h("span", { class: `swatch hue${one.hue}` }), `${one.name} `, h("b", {}, String(one.tokens)))),
      h("li", {}, h("span", { class: "swatch" }), `${t("free")} `, h("b", {}, String(Math.max(0, told.maxTokens - told.tokens)))));
    say(t("ofTokens", told.tokens, told.maxTokens));
    fill(shown, h("p", { class: "spent" }, h("strong", {}, t("ofTokens", told.tokens, told.maxTokens))), bar, legend,
      h("section", {}, h("h2", {}, t("wasCut")), told.cuts.length ? h("ul", { class: "cuts" }, told.cuts.map((cut) => h("li", {}, h("b", {}, served("SECTIONS", cut.section)), cut.items > 0 && ` · ${t("pieces", cut.items)}`, ` · ${phrase(cut.reason)}`))) : h("p", { class: "hint" }, t("nothingCut"))),
      h("section", {}, h("h2", {}, t("asSent")), h("pre", { class: "block", tabindex: 0 }, told.block)),
      told.items.length > 0 && h("details", { "data-key": "items" }, h("summary", {}, `${t("considered")} (${told.items.length})`), h("div", { class: "scroll" }, h("table", {}, h("tbody", {}, told.items.map(item))))));
  }

  function item(one) {
    const text = one.text.split("\n")[0].slice(0, 120);
    return h("tr", { class: one.fate }, h("td", {}, served("SECTIONS", one.section)), h("td", {}, one.id ? button(text, () => detail(one.id), { class: "link" }) : text), h("td", { class: "number" }, String(one.tokens)), h("td", {}, tOf("fate", one.fate), one.reason && `: ${phrase(one.reason)}`));
  }

  fill(page, h("div", { class: "view-head" }, h("h1", {}, t("briefing"))), h("div", { class: "card ask" }, prompt, h("div", { class: "picks" }, whose, kind, h("label", {}, `${t("budget")} `, budget))), shown);
  load();
  return { keys: {}, pages: () => load(), leave: () => clearTimeout(timer) };
}
