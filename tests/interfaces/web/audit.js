// Return what somebody could not read or name: words that are missing, text and edges too near their ground, controls
// without a name, an id that is there twice, parts of roles that are missing. Evaluated in the page.
(() => {
  const faults = [];
  const seen = (one) => one.checkVisibility({ visibilityProperty: true }) && !one.closest(".unseen, .skip, [aria-hidden=true]") && !one.closest("[inert]");
  const channels = (text) => (text.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const light = (rgb) => {
    const [r, g, b] = rgb.map((one) => (one / 255 <= 0.03928 ? one / 255 / 12.92 : ((one / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (one) => {
    for (let at = one; at; at = at.parentElement) {
      const [r, g, b, alpha = 1] = channels(getComputedStyle(at).backgroundColor);
      if (alpha === 1) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const contrast = (one, other) => {
    const [high, low] = [light(one), light(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  const told = (one) => `<${one.tagName.toLowerCase()} class="${one.className}"> ${one.textContent.trim().slice(0, 40)}`;

  for (const one of document.body.querySelectorAll("*")) {
    if (!seen(one)) continue;
    const words = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    const style = getComputedStyle(one);
    if (words && /\bundefined\b|\[object/.test(one.textContent)) faults.push(`no word: ${told(one)}`);
    if (words && !one.disabled) {
      const ratio = contrast(channels(style.color).slice(0, 3), ground(one));
      if (ratio < 4.5) faults.push(`contrast ${ratio.toFixed(2)}: ${told(one)}`);
    }
    if (one.matches("input:not([type=checkbox]), select, textarea")) {
      const edge = contrast(channels(style.borderTopColor).slice(0, 3), ground(one.parentElement));
      if (edge < 3) faults.push(`edge ${edge.toFixed(2)}: ${told(one)}`);
      const hint = contrast(channels(getComputedStyle(one, "::placeholder").color).slice(0, 3), ground(one));
      if (one.placeholder && hint < 4.5) faults.push(`placeholder ${hint.toFixed(2)}: ${one.placeholder}`);
    }
    if (one.matches("button, a[href], input, select, textarea, summary, [role=img], [role=tabpanel], [role=feed], nav, dialog")) {
      const label = one.getAttribute("aria-label") || (one.getAttribute("aria-labelledby") ?? "").split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join("");
      const own = one.labels?.length ? one.labels[0].textContent : one.matches("button, a, summary") ? one.textContent : "";
      if (!(label || own).trim()) faults.push(`no name: ${one.outerHTML.slice(0, 90)}`);
      const { width, height } = one.getBoundingClientRect();
      if (one.matches("button:not(.link), summary, select, input:not([type=checkbox])") && Math.min(width, height) < 24) faults.push(`small: ${told(one)}`);
    }
    if (one.id && document.querySelectorAll(`#${CSS.escape(one.id)}`).length > 1) faults.push(`twice: #${one.id}`);
    for (const name of ["aria-controls", "aria-labelledby"]) {
      if (one.hasAttribute(name) && !document.getElementById(one.getAttribute(name))) faults.push(`${name} of nothing: ${told(one)}`);
    }
    if (one.matches("[role=tab]") && !one.closest("[role=tablist]")) faults.push(`a tab alone: ${told(one)}`);
    if (one.matches("[role=feed] > :not(article)")) faults.push(`no article in a feed: ${told(one)}`);
  }
  if (document.querySelectorAll("main h1:not(.prose *)").length !== 1) faults.push("not one main heading");
  return [...new Set(faults)];
})()
