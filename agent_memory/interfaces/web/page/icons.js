// Small drawings, so that no font has to have them. Each is one path on a 24 × 24 ground, drawn as a line.

const PATHS = {
  open: "M8 16 17 7M9 7h8v8",
  edit: "M5 19l1-4L16.5 4.5l3 3L9 18zM14.5 6.5l3 3",
  remove: "M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12M10.5 10.5v5.5M13.5 10.5v5.5",
  save: "M5 12.5 10 17 19 7.5",
  close: "M6.5 6.5l11 11M17.5 6.5l-11 11",
  chat: "M5 6h14v9h-7l-4 4v-4H5z",
  vault: "M12 6.2C10.6 4 7.4 4.5 7 7 4.8 7.4 4.2 10.3 5.6 11.8 4.2 13.6 5.2 16.2 7.2 16.5 7.6 18.9 10.6 19.6 12 17.8 13.4 19.6 16.4 18.9 16.8 16.5 18.8 16.2 19.8 13.6 18.4 11.8 19.8 10.3 19.2 7.4 17 7 16.6 4.5 13.4 4 12 6.2zM12 6.2v11.6M9 10.5h3M12 13.5h3",
  project: "M7 4h7l4 4v12H7zM14 4v4h4M10 12h5M10 15.5h5",
  briefing: "M4.5 6.5h15v11h-15zM4.5 7.5l7.5 5.5 7.5-5.5",
  upkeep: "M18.5 9A7 7 0 0 0 6 8.5M5.5 15A7 7 0 0 0 18 15.5M6 4.5v4h4M18 19.5v-4h-4",
  stats: "M5 19h14M8 16v-5M12 16V6M16 16v-8",
  help: "M9.2 9.4a2.9 2.9 0 1 1 4.3 2.5c-1 .6-1.5 1.2-1.5 2.3M12 17.4v.1",
};

const SVG = "http://www.w3.org/2000/svg";

export function icon(name) {
  const drawn = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" })) drawn.setAttribute(key, value);
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  drawn.append(path);
  return drawn;
}
