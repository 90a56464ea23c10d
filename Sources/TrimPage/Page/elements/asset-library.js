// The named files, with their pictures; the next and the previous one.
import { api } from "/api.js";
import { button, bytes, h } from "/dom.js";
import { t } from "/strings.js";

class AssetLibrary extends HTMLElement {
  #pictures = new Map();

  connectedCallback() {
    this.list = h("ul", { className: "files" });
    this.append(h("h2", {}, t.library), this.list);
    this.watcher = new IntersectionObserver(seen => { for (const { isIntersecting, target } of seen) if (isIntersecting) { this.watcher.unobserve(target); this.#picture(target); } });
  }

  async load() {
    this.items = (await api.library()).items;
    this.hidden = this.items.length < 2;
    this.list.replaceChildren(...this.items.map(item => {
      const picture = h("img", { alt: "", width: 96, height: 54 });
      picture.item = item;
      const row = h("li", {}, button(item.name, () => this.choose(item), { text: "", "aria-label": item.name }));
      row.firstChild.append(picture, h("b", {}, item.name), h("span", {}, bytes(item.size)));
      row.firstChild.dataset.id = item.id;
      this.watcher.observe(picture);
      return row;
    }));
    return this.items;
  }

  async #picture(image) {
    const { item } = image;
    try {
      if (!this.#pictures.has(item.version)) {
        const [picture] = await api.thumbnails(item.id, ["0"], { width: 192, key: true });
        this.#pictures.set(item.version, URL.createObjectURL(picture.blob));
      }
      image.src = this.#pictures.get(item.version);
    } catch { image.classList.add("none"); }
  }

  choose(item) {
    this.current = item;
    for (const one of this.list.querySelectorAll("button")) one.toggleAttribute("aria-current", one.dataset.id === item.id);
    this.dispatchEvent(new CustomEvent("chosen", { detail: item }));
  }

  /// The file after the current one; nothing after the last.
  after() { return this.items[this.items.findIndex(item => item.id === this.current?.id) + 1]; }

  turn(step) {
    const index = this.items.findIndex(item => item.id === this.current?.id);
    if (this.items.length > 1) this.choose(this.items[(index + step + this.items.length) % this.items.length]);
  }
}
customElements.define("asset-library", AssetLibrary);
