// Title, description, artwork and chapters of the output: only what is changed is sent, the rest is taken over from the file.
import { api } from "/api.js";
import { button, h, on, show, Speaker, t } from "/dom.js";
import "/elements/chapter-list.js";

class MetadataSheet extends Speaker {
  connectedCallback() {
    this.fields = h("div.fields");
    this.picture = h("img", { alt: "", hidden: true });
    this.file = h("input", { type: "file", accept: "image/jpeg,image/png", hidden: true, onchange: () => this.#use(this.file.files[0]) });
    this.clear = button(t.removeArtwork, () => { this.#set(); this.#keep(); }, { hidden: true });
    this.chapters = h("chapter-list");
    this.frame = button(t.useFrame, () => this.attempt(async () => this.#use(await this.player.picture())));
    const drop = h("div.drop", {}, this.picture, h("div", {}, h("h3", {}, t.artwork), this.message, h("div.controls", {}, this.frame, button(t.choosePicture, () => this.file.click()), this.file, this.clear), h("p.keys", {}, t.dropHere)));
    on(drop, "dragover", event => event.preventDefault());
    on(drop, "drop", event => { event.preventDefault(); this.#use(event.dataTransfer.files[0]); });
    this.append(h("details", {}, h("summary", {}, t.metadata), this.fields, drop, this.chapters));
    for (const word of ["change", "input"]) on(this, word, () => this.#keep());
  }

  open(item, asset, player, draft) {
    Object.assign(this, { item, player, draft });
    const known = Object.fromEntries(Object.entries(asset.metadata ?? {}).map(([key, value]) => [key.toLowerCase(), value]));
    this.inputs = Object.entries(t.fields).map(([key, label]) => {
      const input = key === "description" ? h("textarea", { rows: 2 }) : h("input", { type: "text" });
      input.value = input.dataset.known = known[key] ?? "";
      input.dataset.key = key;
      return h("label", {}, label, input);
    });
    this.fields.replaceChildren(...this.inputs);
    this.chapters.open(item, asset, player);
    this.frame.hidden = !player.hasVideo && !player.hasCover;
    this.#set();
    this.#restore(item);
  }

  get #changed() { return [...this.fields.querySelectorAll("input, textarea")].filter(input => input.value !== input.dataset.known.replaceAll("\r\n", "\n")); }

  /// Keeps what is changed in the film's draft.
  #keep() {
    const items = this.#changed.map(input => [input.dataset.key, input.value]), { isChanged, chapters } = this.chapters;
    this.draft.set("metadata", items.length || this.artwork || isChanged ? { items, artwork: this.artwork, ...(isChanged && { chapters }) } : undefined);
  }

  async #restore(item) {
    try {
      const { items, artwork, chapters } = this.draft.get("metadata") ?? { items: [] };
      for (const [key, value] of items) { const input = this.fields.querySelector(`[data-key="${CSS.escape(key)}"]`); if (input) input.value = value; }
      if (chapters) this.chapters.restore(chapters);
      if (!artwork) return;
      const blob = await api.picture(item.id, artwork);
      if (this.item === item && !this.artwork) this.#set(artwork, blob);
    } catch (error) { if (this.item === item) this.said = error.message; }
  }

  async #use(blob) {
    if (!blob) return;
    this.file.value = "";
    const { item } = this;
    await this.attempt(async () => {
      const key = await api.artwork(item.id, blob);
      if (this.item === item) { this.#set(key, blob); this.#keep(); }
    });
  }

  #set(key, blob) {
    this.artwork = key;
    this.picture.hidden = this.clear.hidden = !key;
    if (key) show(this.picture, blob); else this.picture.removeAttribute("src");
    this.said = key ? "" : t.noArtwork;
  }

  /// As an export takes it.
  get request() {
    const changed = this.#changed;
    const items = Object.fromEntries(changed.map(input => [input.dataset.key, input.value])), chapters = this.chapters.request;
    return { ...(changed.length && { metadata: { items } }), ...(this.artwork && { artwork: this.artwork }), ...(chapters && { chapters }) };
  }
}
customElements.define("metadata-sheet", MetadataSheet);
