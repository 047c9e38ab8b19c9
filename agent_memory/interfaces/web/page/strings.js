// Which language the page speaks, and what it says in it under a name.

import { en } from "./english.js";
import { pt } from "./portuguese.js";
import * as SERVED from "./served.js";

export const LANGUAGES = { en, pt };

// The first of the reader's languages that the page has; dates are told the way of that language too.
const locale = navigator.languages.find((one) => one.slice(0, 2).toLowerCase() in LANGUAGES) ?? "en";
export const language = locale.slice(0, 2).toLowerCase();

const words = LANGUAGES[language];

export function t(name, ...given) {
  const said = words[name];
  return typeof said === "function" ? said(...given) : said;
}

const named = (table, name) => (Object.hasOwn(table, name) ? table[name] : name);

// Return the name of one of several things: a status, a kind of link; one that nobody knows, a person's own category
// say, is called what it is called.
export const tOf = (group, name) => named(words[group], name);

// Return one of the words that the server says in English.
export const served = (group, name) => (language === "pt" ? named(SERVED[group], name) : name);

// Return a sentence that the server says in English.
export function phrase(text) {
  const [found, said] = (language === "pt" && SERVED.PHRASES.find(([pattern]) => pattern.test(text))) || [];
  return found ? text.replace(found, said) : text;
}

// Return what is wrong: by its class and, where the server alone knows the particulars, with its own words.
export function wrong({ type, message, hint }) {
  if (language !== "pt" || !Object.hasOwn(SERVED.ERRORS, type)) return [message, hint].filter(Boolean).join(" ");
  const said = SERVED.ERRORS[type];
  return said.endsWith(":") ? `${said} ${phrase(message)}` : said;
}

export const keys = words.keys;

const day = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });
const minute = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
const hour = new Intl.DateTimeFormat(locale, { timeStyle: "short" });

// The dates of pages are UTC and have no zone written beside them.
function moment(text) {
  return new Date(/T.*(Z|[+-]\d\d:\d\d)$/.test(text) ? text : text.includes("T") ? `${text}Z` : `${text}T00:00Z`);
}

export function when(text) {
  const at = moment(text);
  if (Number.isNaN(at.getTime())) return text;
  return text.includes("T") ? minute.format(at) : day.format(at);
}

export const clock = (at) => hour.format(at);
