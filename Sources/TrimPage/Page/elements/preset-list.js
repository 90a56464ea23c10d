// Exports that can be made of the chosen part: presets with their size and way, and those that do not fit, with reason and remedy.
import { api, jobKey, spoken } from "/api.js";
import { button, bytes, emit, h, on, Speaker, t, trackName } from "/dom.js";

class PresetList extends Speaker {
  #timer; #chosen = localStorage.getItem("preset") ?? "passthrough"; #asked = 0; #ended = new Set(); #fault;

  connectedCallback() {
    this.choices = h("div.presets", { role: "group", ariaLabel: t.presets });
    this.others = h("details", { hidden: true });
    this.name = h("input", { type: "text", placeholder: t.nameHint, ariaLabel: t.name, autocomplete: "off" });
    this.exportButton = button(t.export, () => this.export(), { className: "primary" });
    this.planned = h("ul.plan", { hidden: true });
    this.tracks = h("details", { hidden: true });
    this.append(h("h2", {}, t.presets), this.choices, this.others, this.tracks, h("label", {}, t.name, this.name),
      h("div.controls", {}, this.exportButton, button(t.plan, () => this.plan())), this.planned, this.message);
    on(this, "input", () => this.#outdate());
  }

  open(item, asset, edits, metadata, draft) {
    Object.assign(this, { item, edits, metadata, draft });
    this.#tracks(asset);
    this.choices.role = "group";
    this.choices.replaceChildren(h("p", {}, t.checking));
    this.others.hidden = true;
    this.name.value = "";
    this.said = "";
    this.planned.hidden = true;
    on(edits, "change", () => { if (this.edits === edits) { this.planned.hidden = true; this.#ask(700); } });
    this.#ask(0);
  }

  /// A plan is of one request: another choice has none yet.
  #outdate() { this.planned.hidden = true; emit(this, "planned"); }
  /// A job that has ended is no longer in the queue.
  ended(id) { this.#ended.add(id); if (this.message.dataset.job === String(id)) this.said = ""; }

  #ask(wait) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      const item = this.item, number = ++this.#asked;
      try {
        const report = await api.check(item.id, this.edits.request);
        if (this.item !== item || number !== this.#asked) return;
        if (this.said === this.#fault) this.said = "";
        this.#list(report);
      } catch (error) { if (number === this.#asked) this.said = this.#fault = error.message; }
    }, wait);
  }

  #list({ presets, reason }) {
    const valid = presets.filter(preset => preset.valid), others = presets.filter(preset => !preset.valid);
    valid.sort((a, b) => (b.id === "passthrough") - (a.id === "passthrough"));
    if (!valid.some(preset => preset.id === this.#chosen)) this.#chosen = valid[0]?.id;
    const focused = document.activeElement?.value;
    this.choices.role = valid.length ? "radiogroup" : "group";
    this.choices.replaceChildren(...reason ? [h("p", {}, spoken(reason))] : valid.map(preset => {
      const size = preset.estimatedBytes, facts = [t.way[preset.render] ?? preset.render, size && t.size(bytes(size.low), bytes(size.high))];
      const radio = h("input", { type: "radio", name: "preset", value: preset.id, checked: preset.id === this.#chosen,
        onchange: () => { this.#chosen = preset.id; localStorage.setItem("preset", preset.id); } });
      return h("label", { title: preset.renderReason ?? "" }, radio, h("b", {}, preset.id), h("span", {}, facts.filter(Boolean).join(", ")));
    }));
    if (focused) this.choices.querySelector(`input[value="${CSS.escape(focused)}"]`)?.focus();
    this.others.hidden = !others.length;
    this.others.replaceChildren(h("summary", {}, t.notHere(others.length)), h("ul", {}, ...others.map(preset => h("li", {}, h("b", {}, preset.id), " ",
      preset.reasons.map(spoken).join(". ")))));
  }

  /// The choice of tracks, where there are several of sound, or subtitles.
  #tracks(asset) {
    const groups = [["audio", t.audioTracks, 2], ["subtitle", t.subtitleTracks, 1]].map(([kind, words, least]) => {
      const tracks = asset.tracks.filter(track => track.kind === kind && !track.role);
      return tracks.length >= least && h("fieldset", {}, h("legend", {}, words), ...tracks.map(track => h("label", {}, h("input", { type: "checkbox", checked: true, name: kind, value: track.index }), trackName(track))));
    }).filter(Boolean);
    this.tracks.hidden = !groups.length;
    this.tracks.replaceChildren(h("summary", {}, t.exportTracks), ...groups);
  }

  get #options() {
    const options = {};
    for (const [kind, key] of [["audio", "audio"], ["subtitle", "subtitles"]]) {
      const boxes = [...this.tracks.querySelectorAll(`[name=${kind}]`)], chosen = boxes.filter(box => box.checked);
      if (chosen.length < boxes.length) options[key] = chosen.map(box => box.value).join() || "none";
    }
    return Object.keys(options).length ? { options } : {};
  }

  /// The request, but for the ranges.
  get #choices() {
    return { ...(this.#chosen && { preset: this.#chosen }), ...(this.name.value && { name: this.name.value }), ...this.#options, ...this.metadata.request };
  }

  /// Tells what an export would do: the plan of each track, what is left out, warnings and notes.
  plan() {
    return this.attempt(async () => {
      const plan = await this.#plan(this.item, await this.#request());
      const tracks = plan.tracks.map(track => {
        const frames = isEncoded => (track.spans ?? []).filter(span => (span.way === "encode") === isEncoded).reduce((sum, span) => sum + (span.frames ?? 0), 0);
        const counts = [[false, "copied"], [true, "encoded"]].filter(([isEncoded]) => frames(isEncoded)).map(([isEncoded, way]) => t.frames[way](frames(isEncoded)));
        if (!frames(false) && track.spans?.some(span => span.way === "copy")) counts.unshift(t.way.copy);
        return t.planned(track.kind, [...(counts.length ? counts : [t.way[track.way] ?? track.way]), track.reason].filter(Boolean).join(", "));
      });
      const others = [t.place(plan.output), ...(plan.dropped ?? []).map(one => t.dropped([one.what, one.reason].filter(Boolean).join(": "))), ...plan.warnings.map(one => one.message), ...(plan.notes ?? []).map(one => one.message)];
      this.planned.replaceChildren(...[...tracks, ...others].map(words => h("li", {}, words)));
      this.planned.hidden = false;
      this.said = "";
    });
  }

  /// The request as it is now, once the points of its ranges are set.
  async #request() {
    this.said = t.checking;
    const { edits } = this, choices = this.#choices;
    return { ...await edits.settled(() => edits.request), ...choices };
  }

  async #plan(item, request) {
    const plan = await api.plan(item.id, request);
    if (this.item === item) emit(this, "planned", plan);
    return plan;
  }

  async export() {
    if (this.exportButton.disabled) return;
    this.exportButton.disabled = true;
    await this.attempt(async () => {
      const { item, draft } = this, request = await this.#request(), plan = await this.#plan(item, request);
      const job = await api.export(item.id, request);
      // The comparison asks for the same ranges, and shows the plan's seams.
      const { start, end, keep } = request, spans = plan.tracks.find(track => track.kind === "video")?.spans?.slice(0, 200);
      const jobs = Object.entries(draft.get("jobs") ?? {}).slice(-19);
      draft.set("jobs", { ...Object.fromEntries(jobs), [jobKey(job)]: { request: { start, end, keep }, ranges: plan.ranges, spans } });
      this.said = this.#ended.has(job.id) ? "" : t.accepted(job.id);
      this.message.dataset.job = job.id;
    });
    this.exportButton.disabled = false;
  }
}
customElements.define("preset-list", PresetList);
