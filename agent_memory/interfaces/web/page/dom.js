// Elements, made from values. Text is always text: only `safeHtml` takes markup, and only the server's own.

import { icon } from "./icons.js";
import { t } from "./strings.js";

// Make an element: `on…` are listeners, `class` and other names are attributes (false and null: not there).
export function h(tag, given = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "value") made.value = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...inside.flat().filter((one) => one !== null && one !== undefined && one !== false));
  return made;
}

// Put these inside an element instead of what it has. Who was on something in it is on what stands for that now, and
// what was folded out stays so: nobody loses his place because somebody else has written.
export function fill(element, ...inside) {
  const held = element.contains(document.activeElement) && document.activeElement !== element ? signature(document.activeElement) : null;
  const unfolded = [...element.querySelectorAll("details[open]")].map(signature);
  element.replaceChildren(...inside.flat().filter((one) => one));
  for (const one of element.querySelectorAll("details")) if (unfolded.includes(signature(one))) one.open = true;
  if (held) [...element.querySelectorAll(FOCUSABLE)].find((one) => signature(one) === held)?.focus({ preventScroll: true });
}

const FOCUSABLE = "a[href], button, input, select, textarea, summary, [tabindex]";
const signature = (one) => [one.tagName, one.dataset.key ?? one.getAttribute("href") ?? one.getAttribute("aria-label") ?? one.textContent].join(" ");

// Return what does this work and, while it is under way, nothing more: Enter twice is one memory.
export function once(work) {
  let running = null;
  return (...given) => (running ??= Promise.resolve(work(...given)).finally(() => (running = null)));
}

// Return what was asked for; of a refusal tell the person, and return null. Where nothing stands yet that was to be
// shown, it is told in that place, with a way to try again.
export async function tried(asked, element = null, again = null) {
  try {
    return await asked;
  } catch (error) {
    if (error.name === "AbortError") return null;
    if (!("status" in error)) throw error;
    if (!element || element.childElementCount) toast(error.message, { bad: true });
    else fill(element, h("div", { class: "empty" }, h("p", { role: "alert" }, error.message), button(t("again"), again)));
    return null;
  }
}

export function button(said, press, given = {}) {
  return h("button", { type: "button", onclick: press, ...given }, said);
}

// A button that is a drawing, with a name for who cannot see it.
export function sign(drawing, name, press, given = {}) {
  return button(icon(drawing), press, { class: "sign", "aria-label": name, title: name, ...given });
}

// The one place that sets markup: HTML that the server rendered with HTML off and then cleaned.
export function safeHtml(html) {
  const held = h("div", { class: "prose" });
  held.innerHTML = html;
  for (const link of held.querySelectorAll("a[href]")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  return held;
}

export function say(words) {
  const said = document.getElementById("said");
  said.textContent = "";
  said.textContent = words;
}

// Show a sentence for a while; with `undo`, a button that takes back what it tells of.
export function toast(words, { undo = null, bad = false } = {}) {
  const box = h("div", { class: bad ? "toast bad" : "toast" }, h("span", {}, words));
  const leave = () => box.remove();
  if (undo) box.append(button(t("undo"), () => (leave(), undo())));
  box.append(sign("close", t("close"), leave));
  const shown = document.getElementById("toasts");
  (document.querySelector("dialog[open]") ?? document.body).append(shown); // an open window hides what is beside it
  shown.append(box);
  say(words);
  let timer = 0;
  const wait = () => (timer = setTimeout(leave, bad ? 12000 : 7000));
  for (const stay of ["pointerenter", "focusin"]) box.addEventListener(stay, () => clearTimeout(timer));
  for (const go of ["pointerleave", "focusout"]) box.addEventListener(go, wait);
  wait();
}

// Make a text box grow with what is in it; what its keys do: Enter saves, Shift+Enter makes a line, Esc leaves.
export function writing(given, { save, leave }) {
  const box = h("textarea", { rows: 1, spellcheck: "true", ...given });
  const grow = () => {
    box.style.height = "auto";
    box.style.height = `${Math.min(box.scrollHeight + 2, innerHeight * 0.6)}px`;
  };
  box.addEventListener("input", grow);
  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (event.key === "Enter" && !event.shiftKey) (event.preventDefault(), event.repeat || save());
    if (event.key === "Escape") (event.preventDefault(), event.stopPropagation(), leave());
  });
  requestAnimationFrame(grow);
  return box;
}

// A window over the page, closed by Esc, its button, or a click beside it; focus returns to where it was.
export function dialog(title, ...inside) {
  const before = document.activeElement;
  const name = h("h2", { id: "dialog-title" }, title);
  const box = h("dialog", { "aria-labelledby": "dialog-title" });
  const shut = sign("close", t("close"), () => box.close());
  box.append(h("div", { class: "dialog-head" }, name, shut), ...inside.filter((one) => one));
  box.addEventListener("close", () => {
    document.body.append(document.getElementById("toasts"));
    box.remove();
    if (before?.isConnected) before.focus();
  });
  box.addEventListener("pointerdown", (event) => {
    const { left, right, top, bottom } = box.getBoundingClientRect();
    const inside = event.clientX >= left && event.clientX <= right && event.clientY >= top && event.clientY <= bottom;
    if (event.target === box && !inside && !box.querySelector("textarea")) box.close(); // what is being written stays
  });
  document.body.append(box);
  box.showModal();
  return box;
}

const plain = (letter) => letter.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
const folded = (text) => Array.from(text).map((letter) => plain(letter).slice(0, 1) || letter);

// Tell whether a name has these letters in it, accents and case aside.
export const has = (name, wanted) => plain(name).includes(plain(wanted));

// Return text with what was searched for marked: accents and case aside, and other forms of a word too.
export function marked(text, query) {
  const wanted = query.replace(/(?:^|\s)-\S+|(?:tag|agent|category|before|after):\S+/g, " ").match(/[\p{L}\p{N}_]{2,}/gu) ?? [];
  const asked = wanted.map((word) => folded(word).join(""));
  const letters = Array.from(text.normalize("NFC"));
  const flat = folded(letters.join("")).join("");
  if (flat.length !== letters.length) return [text]; // letters beyond the basic plane: read it unmarked
  const hit = new Array(letters.length).fill(false);
  for (const found of flat.matchAll(/[\p{L}\p{N}_]{2,}/gu)) {
    for (const word of asked) {
      const same = common(found[0], word);
      const inside = found[0].indexOf(word);
      if (same >= Math.max(4, Math.ceil(0.6 * word.length)) || same === word.length) hit.fill(true, found.index, found.index + found[0].length);
      else if (inside > 0) hit.fill(true, found.index + inside, found.index + inside + word.length);
    }
  }
  return runs(letters, hit).map(([on, run]) => (on ? h("mark", {}, run) : run));
}

function common(one, other) {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

function runs(letters, hit) {
  const found = [];
  letters.forEach((letter, index) => {
    if (index && hit[index] === hit[index - 1]) found[found.length - 1][1] += letter;
    else found.push([hit[index], letter]);
  });
  return found;
}
