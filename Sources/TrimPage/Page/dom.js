// Elements without markup in strings: nothing that comes from a file can become markup.
export const h = (name, words = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(words)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element && !key.includes("-") && key !== "list") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== undefined && child !== null && child !== false));
  return element;
};
export const button = (label, act, words = {}) => {
  const { text, ...rest } = words;
  return h("button", { type: "button", title: label, "aria-label": text && text !== label ? label : undefined, onclick: act, ...rest }, text ?? label);
};
export const bytes = count => {
  if (count === undefined) return "";
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (count >= 1000 && unit < 4) { count /= 1000; unit++; }
  return `${count >= 100 || unit === 0 ? Math.round(count) : count.toFixed(1)} ${units[unit]}`;
};
