// The named files, with their pictures; the next and the previous one.
import { api } from "/api.js";
import { button, bytes, emit, h, t } from "/dom.js";
import { isFilm } from "/elements/preview-source.js";
import { clock, near, seconds, spell } from "/time.js";

class AssetLibrary extends HTMLElement {
  #known = new Map();

  connectedCallback() {
    this.list = h("ul.files");
    this.append(h("header", {}, h("h2", {}, t.library), button(t.previous, () => this.turn(-1), "up"), button(t.next, () => this.turn(1), "down")), this.list);
    this.watcher = new IntersectionObserver(seen => { for (const { isIntersecting, target } of seen) if (isIntersecting) { this.watcher.unobserve(target); this.#picture(target); } });
  }

  async load() {
    this.items = (await api.library()).items;
    this.hidden = this.items.length < 2;
    const focused = this.list.contains(document.activeElement) && document.activeElement.dataset.id;
    this.list.replaceChildren(...this.items.map(item => {
      const picture = h("img", { alt: "", width: 96, height: 54 });
      picture.item = item;
      const row = h("li", {}, button(item.name, () => this.choose(item), { text: "", ariaLabel: item.name }));
      row.firstChild.append(picture, h("b", {}, item.name), h("span", {}, bytes(item.size)));
      row.firstChild.dataset.id = item.id;
      row.firstChild.toggleAttribute("aria-current", item.id === this.current?.id);
      this.watcher.observe(picture);
      return row;
    }));
    if (focused) this.list.querySelector(`[data-id="${focused}"]`)?.focus();
    return this.items;
  }

  /// A poster from within the film, its length, and what it is.
  async #picture(image) {
    const { item } = image, words = image.parentNode.lastChild;
    try {
      if (!this.#known.has(item.version)) {
        const { duration, tracks } = await api.probe(item.id), video = tracks.find(isFilm), cover = tracks.find(track => track.kind === "video"), sound = tracks.find(track => track.kind === "audio");
        // Upright, as it is shown.
        const { width, height, rotation = 0 } = video?.video ?? {}, size = (rotation % 180 ? [height, width] : [width, height]).join("×");
        const known = { words: [duration && clock(seconds(duration), 0), video ? `${video.codec}, ${size}` : sound?.codec, bytes(item.size)].filter(Boolean).join(" · ") };
        this.#known.set(item.version, known);
        if (cover && !cover.isProtected) {
          const poster = key => api.frame(item.id, duration ? spell(near(seconds(duration) / 10)) : "0", { width: 192, key });
          let picture = await poster(true);
          // A film's first frame says little of it.
          if (video && !picture.actual.value) picture = await poster();
          known.picture = URL.createObjectURL(picture.blob);
        }
      }
      const known = this.#known.get(item.version);
      words.textContent = known.words;
      if (known.picture) image.src = known.picture;
    } catch (error) {
      words.textContent = [error.code === "locked" ? t.locked : "", bytes(item.size)].filter(Boolean).join(" · ");
    }
  }

  choose(item) {
    this.mark(item);
    item.poster = this.#known.get(item.version)?.picture;
    emit(this, "chosen", item);
  }
  /// Marks the film that is open.
  mark(item) {
    this.current = item;
    for (const one of this.list.querySelectorAll("button")) one.toggleAttribute("aria-current", one.dataset.id === item.id);
  }

  /// The file after the current one; nothing after the last.
  after() { return this.items[this.items.findIndex(item => item.id === this.current?.id) + 1]; }

  turn(step) {
    const index = this.items.findIndex(item => item.id === this.current?.id);
    if (this.items.length > 1) this.choose(this.items[(index + step + this.items.length) % this.items.length]);
  }
}
customElements.define("asset-library", AssetLibrary);
