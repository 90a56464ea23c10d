// What can be made of the chosen part: presets with their size and way, and those that do not fit, with reason and remedy.
import { api } from "/api.js";
import { button, bytes, h } from "/dom.js";
import { t } from "/strings.js";

class PresetList extends HTMLElement {
  #timer; #chosen = localStorage.getItem("preset") ?? "passthrough"; #asked = 0;

  connectedCallback() {
    this.choices = h("div", { className: "presets", role: "radiogroup", "aria-label": t.presets });
    this.others = h("details", { hidden: true });
    this.name = h("input", { type: "text", placeholder: t.nameHint, "aria-label": t.name, autocomplete: "off" });
    this.message = h("p", { className: "message", role: "status" });
    this.exportButton = button(t.export, () => this.export(), { className: "primary" });
    this.planned = h("ul", { className: "plan", hidden: true });
    this.append(h("h2", {}, t.presets), this.choices, this.others, h("label", {}, t.name, this.name),
      h("div", { className: "controls" }, this.exportButton, button(t.plan, () => this.plan())), this.planned, this.message);
  }

  open(item, edits, metadata) {
    Object.assign(this, { item, edits, metadata });
    this.choices.replaceChildren(h("p", {}, t.checking));
    this.others.hidden = true;
    this.name.value = "";
    this.message.textContent = "";
    this.planned.hidden = true;
    edits.addEventListener("change", () => { if (this.edits === edits) this.#ask(700); });
    this.#ask(0);
  }

  #ask(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      const item = this.item, number = ++this.#asked;
      try {
        const report = await api.check(item.id, this.edits.request);
        if (this.item === item && number === this.#asked) this.#list(report.presets);
      } catch (error) { if (number === this.#asked) this.message.textContent = error.message || t.gone; }
    }, wait);
  }

  #list(presets) {
    const valid = presets.filter(preset => preset.valid), others = presets.filter(preset => !preset.valid);
    valid.sort((a, b) => (b.id === "passthrough") - (a.id === "passthrough"));
    if (!valid.some(preset => preset.id === this.#chosen)) this.#chosen = valid[0]?.id;
    const focused = document.activeElement?.value;
    this.choices.replaceChildren(...valid.map(preset => {
      const size = preset.estimatedBytes, facts = [t.way[preset.render] ?? preset.render, size && t.size(bytes(size.low), bytes(size.high))];
      const radio = h("input", { type: "radio", name: "preset", value: preset.id, checked: preset.id === this.#chosen,
        onchange: () => { this.#chosen = preset.id; localStorage.setItem("preset", preset.id); } });
      return h("label", { title: preset.renderReason ?? "" }, radio, h("b", {}, preset.id), h("span", {}, facts.filter(Boolean).join(", ")));
    }));
    if (focused) this.choices.querySelector(`input[value="${CSS.escape(focused)}"]`)?.focus();
    this.others.hidden = !others.length;
    this.others.replaceChildren(h("summary", {}, t.notHere(others.length)), h("ul", {}, ...others.map(preset => h("li", {}, h("b", {}, preset.id), " ",
      preset.reasons.map(reason => [reason.message, reason.remedy].filter(Boolean).join("; ")).join(". ")))));
  }

  get #request() {
    const items = this.metadata.items;
    return {
      ...this.edits.request, ...(this.#chosen && { preset: this.#chosen }), ...(this.name.value && { name: this.name.value }),
      ...(Object.keys(items).length && { metadata: { items } }),
    };
  }

  /// Tells what an export would do: the plan of each track, what is left out, warnings and notes.
  async plan() {
    try {
      const plan = await api.plan(this.item.id, this.#request);
      const tracks = plan.tracks.map(track => {
        const frames = isEncoded => (track.spans ?? []).filter(span => (span.way === "encode") === isEncoded).reduce((sum, span) => sum + (span.frames ?? 0), 0);
        const counts = [[false, "copied"], [true, "encoded"]].filter(([isEncoded]) => frames(isEncoded)).map(([isEncoded, way]) => t.frames[way](frames(isEncoded)));
        return t.planned(track.kind, [...(counts.length ? counts : [t.way[track.way] ?? track.way]), track.reason].filter(Boolean).join(", "));
      });
      const others = [...(plan.dropped ?? []).map(one => [one.what, one.reason].filter(Boolean).join(": ")), ...plan.warnings.map(one => one.message), ...(plan.notes ?? []).map(one => one.message)];
      this.planned.replaceChildren(...[...tracks, ...others].map(words => h("li", {}, words)));
      this.planned.hidden = false;
      this.message.textContent = "";
    } catch (error) { this.message.textContent = error.message || t.gone; }
  }

  async export() {
    this.exportButton.disabled = true;
    try {
      const job = await api.export(this.item.id, this.#request);
      this.message.textContent = t.accepted(job.id);
      this.message.dataset.job = job.id;
    } catch (error) { this.message.textContent = error.message || t.gone; }
    this.exportButton.disabled = false;
  }
}
customElements.define("preset-list", PresetList);
