// Title, description and the like of the output: only what is changed is sent, the rest is taken over from the file.
import { h } from "/dom.js";
import { t } from "/strings.js";

class MetadataSheet extends HTMLElement {
  connectedCallback() {
    this.fields = h("div", { className: "fields" });
    this.append(h("details", {}, h("summary", {}, t.metadata), this.fields));
  }

  open(asset) {
    const known = Object.fromEntries(Object.entries(asset.metadata ?? {}).map(([key, value]) => [key.toLowerCase(), value]));
    this.inputs = Object.entries(t.fields).map(([key, label]) => {
      const input = key === "description" ? h("textarea", { rows: 2 }) : h("input", { type: "text" });
      input.value = input.dataset.known = known[key] ?? "";
      input.dataset.key = key;
      return h("label", {}, label, input);
    });
    this.fields.replaceChildren(...this.inputs);
  }

  get items() {
    const changed = [...this.fields.querySelectorAll("input, textarea")].filter(input => input.value !== input.dataset.known.replaceAll("\r\n", "\n"));
    return Object.fromEntries(changed.map(input => [input.dataset.key, input.value]));
  }
}
customElements.define("metadata-sheet", MetadataSheet);
