// A plain chat with an agent: its session is saved every half minute, taken up again, and ended with a handoff.

import { command, get, post } from "./api.js";
import { button, fill, h, once, say, sign, toast, tried, writing } from "./dom.js";
import { clock, t, when } from "./strings.js";

const SAVE_MS = 30_000;
const BEACON_BYTES = 60_000; // browsers refuse more than 64 kB in all

export function chat(holder, agent, { hasCommand, openVault, aside, closed }) {
  let messages = [];
  let chatId = crypto.randomUUID();
  let begun = false; // whether a prompt of this session was answered: its briefing is given once
  let dirty = false;
  let answering = false; // without a command, the next thing written is what the agent said
  let running = null;
  let heard = ""; // of an answer that is still being given
  const log = h("div", { class: "log", role: "log", "aria-live": "off", tabindex: 0, "aria-label": t("chatWith", agent) });
  const note = h("p", { class: "hint", role: "status" });
  const input = h("div", { class: "say" });
  let box = null;
  let left = null; // a session that broke off, until it is taken up again or ended
  let choose = null;

  const body = () => ({ agentId: agent, messages, chatId });

  function add(role, text) {
    const words = h("div", { class: "words" }, text);
    log.append(h("div", { class: `said ${role}` }, h("span", { class: "who" }, t(role)), words));
    log.scrollTop = log.scrollHeight;
    return words;
  }

  function ask() {
    box = writing({ placeholder: t(answering ? "answerHint" : "messageHint"), "aria-label": t(answering ? "answerHint" : "message") }, { save: answering ? keep : send, leave: aside });
    fill(input, box, button(t(answering ? "keepAnswer" : "send"), answering ? keep : send, { class: "good" }), running && button(t("stop"), () => running.abort()));
    box.focus();
  }

  function keep() {
    const text = box.value.trim();
    if (!text) return;
    take("agent", text);
    add("agent", text);
    answering = false;
    ask();
  }

  function take(role, text) {
    messages.push({ role, text });
    dirty = true;
  }

  async function send() {
    const text = box.value.trim();
    if (!text || running) return;
    running = new AbortController();
    ask();
    choose?.remove();
    add("user", text);
    take("user", text);
    await finish();
    const told = await tried(command({ agentId: agent, command: text, chatId, resume: begun }, hearing(), running.signal));
    running = null;
    settle();
    log.querySelector(".words:empty")?.parentElement.remove(); // nothing was said
    if (told) (begun = true, carry(told));
    else input.querySelector("button.good + button")?.remove();
  }

  // What was heard of an answer counts, however it ended.
  function settle() {
    if (heard.trim()) take("agent", heard.trim());
    heard = "";
  }

  // Who begins anew ends the session that broke off: what was said in it is taken before its place is.
  async function finish() {
    if (left && (await tried(post("/api/agents/close", { agentId: agent, messages: left.messages, chatId: left.chatId })))) left = null;
  }

  function hearing() {
    let words = null;
    return (name, told) => {
      if (name === "start") {
        words = add("agent", "");
        begun = true;
        if (told.briefed) fill(note, t("briefed", told.tokens));
      }
      if (name === "output") {
        heard += told.text;
        words.textContent = heard;
        log.scrollTop = log.scrollHeight;
      }
      if (name === "end") {
        if (told.exitCode !== 0) toast([t("stopped", told.exitCode ?? "–"), told.error].filter(Boolean).join(" "), { bad: true });
        say(heard);
        settle();
      }
    };
  }

  // There is no command: the prompt is shown to be carried to the agent, and its answer is awaited here.
  function carry(told) {
    const block = h("pre", { class: "block", tabindex: 0 }, told.prompt);
    const copy = button(t("copy"), async () => (await navigator.clipboard.writeText(told.prompt), toast(t("copied"))));
    log.append(h("div", { class: "said prompt" }, h("p", { class: "hint" }, told.briefed ? t("promptReady", told.tokens) : t("promptPlain")), block, copy));
    log.scrollTop = log.scrollHeight;
    answering = true;
    ask();
  }

  async function save() {
    if (!dirty || !messages.length) return;
    dirty = false;
    const told = await tried(post("/api/memory", body()));
    if (told) fill(note, t("autosaved", clock(new Date())));
    else dirty = true;
  }

  function beacon() {
    if (!(dirty || heard) || !messages.length) return;
    const kept = { ...body(), messages: [...messages, ...(heard.trim() ? [{ role: "agent", text: heard.trim() }] : [])] };
    let sent = new Blob([JSON.stringify(kept)], { type: "application/json" });
    while (sent.size > BEACON_BYTES && kept.messages.length > 1) {
      kept.messages.shift();
      sent = new Blob([JSON.stringify(kept)], { type: "application/json" });
    }
    if (navigator.sendBeacon("/api/agents/beacon", sent)) dirty = false;
  }

  const end = once(async () => {
    running?.abort();
    settle();
    if (messages.length) {
      const told = await tried(post("/api/agents/close", body()));
      if (!told) return;
      toast(t(told.handoffs ? "ended" : "endedShort", told.decisions, told.lessons, told.tasks));
    }
    shut();
  });

  function shut() {
    clearInterval(timer);
    removeEventListener("pagehide", beacon);
    holder.replaceChildren();
    closed();
  }

  async function begin() {
    ask(); // what is written at once begins a new one
    const saved = await tried(get("/api/memory", { agentId: agent }));
    if (!saved?.messages.length) return;
    left = { ...saved, messages: saved.messages.map(({ role, text }) => ({ role: role === "user" ? "user" : "agent", text: text ?? "" })) };
    if (messages.length) return finish();
    choose = h("div", { class: "resume" }, h("p", {}, t("resumeHint", when(saved.savedAt))),
      button(t("resume"), () => (choose.remove(), resume()), { class: "good" }), button(t("fresh"), () => (choose.remove(), finish(), box.focus())));
    log.append(choose);
  }

  function resume() {
    messages = left.messages;
    chatId = left.chatId ?? chatId;
    left = null;
    begun = true;
    messages.forEach((one) => add(one.role, one.text));
    ask();
  }

  const timer = setInterval(save, SAVE_MS);
  addEventListener("pagehide", beacon);
  holder.setAttribute("aria-label", t("chatWith", agent));
  fill(holder, h("header", { class: "chat-head" }, h("h2", {}, t("chatWith", agent)), sign("vault", t("vaultOf", agent), openVault), sign("close", t("endChat"), end)),
    log, !hasCommand && h("p", { class: "hint" }, t("noCommand")), note, input);
  holder.onkeydown = (event) => {
    if (event.key === "Escape" && !event.defaultPrevented) aside();
  };
  begin();
  return {
    agent,
    end,
    get writing() { return Boolean(box?.value.trim()); },
    get begun() { return messages.length > 0 || this.writing; },
  };
}
