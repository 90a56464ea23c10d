// Elements without markup in strings: nothing that comes from a file can become markup.
import { t } from "/strings.js";

export { t };

/// An element: its name with its classes, as in p.legend, its properties and attributes, and what is in it.
export const h = (kind, words = {}, ...children) => {
  const [name, ...classes] = kind.split("."), element = document.createElement(name);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(words)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element) element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== undefined && child !== null && child !== false));
  return element;
};
const shapes = {
  play: "M4 2l9 6-9 6z", pause: "M4 2h3v12H4zM9 2h3v12H9z", start: "M3 2h2v12H3zM13 2v12L6 8z", end: "M11 2h2v12h-2zM3 2v12l7-6z",
  back: "M9 3v10L3 8zM11 3h2v10h-2z", on: "M7 3v10l6-5zM3 3h2v10H3z", in: "M4 2h6v2H6v8h4v2H4z", out: "M12 2H6v2h4v8H6v2h6z",
  full: "M2 2h5v2H4v3H2zM9 2h5v5h-2V4H9zM2 9h2v3h3v2H2zM12 9h2v5H9v-2h3z", pip: "M1 3h14v10H1zM3 5v6h10V5zM8 8h4v2H8z",
  up: "M8 4l5 7H3z", down: "M8 12L3 5h10z", plus: "M7 3h2v4h4v2H9v4H7V9H3V7h4z", minus: "M3 7h10v2H3z", loud: "M2 6h3l4-3v10L5 10H2zM11 5h1v6h-1z",
};
export const on = (target, word, act, words) => target.addEventListener(word, act, words);
export const emit = (target, word, detail) => target.dispatchEvent(new CustomEvent(word, { detail }));
/// A picture of one of the shapes above; it is never the only name of anything.
export const icon = name => {
  const make = (kind, words) => { const one = document.createElementNS("http://www.w3.org/2000/svg", kind); for (const [key, value] of Object.entries(words)) one.setAttribute(key, value); return one; };
  const picture = make("svg", { viewBox: "0 0 16 16", "aria-hidden": "true", class: "icon" });
  picture.append(make("path", { d: shapes[name], "fill-rule": "evenodd" }));
  return picture;
};
/// A button with its label, or with an icon alone, whose name is in the place of further words.
export const button = (label, act, words = {}) => {
  const name = typeof words === "string" && words, { text, ...rest } = name ? {} : words;
  return h("button", { type: "button", title: label, ariaLabel: name || text && text !== label ? label : undefined, onclick: act, ...rest }, name ? icon(name) : text ?? label);
};
/// A choice of one of some values, each paired with its words.
export const choice = (options, act, ariaLabel, words) => h("select", { ariaLabel, onchange: event => act(event.target.value), ...words }, ...options.map(([value, words]) => h("option", { value }, words)));
/// A value within bounds.
export const clamp = (value, least, most) => Math.min(most, Math.max(least, value));
/// Shows a picture; the image keeps it, its address goes.
export const show = (image, blob) => {
  const url = image.src = URL.createObjectURL(blob);
  image.onload = image.onerror = () => URL.revokeObjectURL(url);
};
/// A dialog with a button that closes it; it goes when it is closed.
export const dialog = (title, ...children) => {
  const box = h("dialog", { ariaLabel: title, onclose: () => box.remove() });
  box.append(h("div.title", {}, h("h2", {}, title), button(t.close, () => box.close(), { text: "×" })), ...children);
  document.body.append(box);
  box.showModal();
  return box;
};
/// An element with a place for what is said, read out when it changes.
export class Speaker extends HTMLElement {
  message = h("p.message", { role: "status" });
  get said() { return this.message.textContent; }
  set said(words) { this.message.textContent = words; }
  /// Does something; where it fails, that is said.
  async attempt(act) { try { await act(); } catch (error) { this.said = error.message; } }
}
/// What a track is called, by its number and what the file says of it.
export const trackName = ({ index, language, title, codec }) => t.track(index, [language, title, codec].filter(Boolean).join(", "));
export const bytes = count => {
  if (count === undefined) return "";
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (count >= 1000 && unit < 4) { count /= 1000; unit++; }
  return `${count >= 100 || unit === 0 ? Math.round(count) : count.toFixed(1)}\u00a0${units[unit]}`;
};
