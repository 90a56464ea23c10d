// The chapters that the output gets: those of the file, until one is added, renamed or removed.
import { api } from "/api.js";
import { button, h, show, t } from "/dom.js";
import { bare, clock, compare, seconds, spell } from "/time.js";

class ChapterList extends HTMLElement {
  connectedCallback() {
    this.list = h("ol.chapters");
    this.append(h("h3", {}, t.chapters), this.list, button(t.addChapter, () => this.add()));
  }

  open(item, asset, player) {
    Object.assign(this, { item, player, isChanged: false, chapters: (asset.chapters ?? []).map(({ start, title }, index) => ({ start, title: title || t.chapterNew(index + 1) })) });
    this.#show();
  }

  /// Takes chapters of a draft.
  restore(chapters) { Object.assign(this, { chapters, isChanged: true }); this.#show(); }

  add() {
    const { item } = this;
    this.player.take(({ actual }) => {
      if (this.item !== item || this.chapters.some(one => compare(one.start, actual) === 0)) return;
      this.chapters = [...this.chapters, { start: bare(actual), title: t.chapterNew(this.chapters.length + 1) }].sort((a, b) => compare(a.start, b.start));
      this.#changed();
      this.list.querySelectorAll("input")[this.chapters.findIndex(one => compare(one.start, actual) === 0)]?.select();
    }).catch(error => { this.player.said = error.message; });
  }

  #changed() {
    this.isChanged = true;
    this.#show();
    this.dispatchEvent(new Event("change", { bubbles: true }));
  }

  /// As an export takes them; nothing where they are the file's own.
  get request() { return this.isChanged ? { marks: this.chapters.map(({ start, title }) => ({ time: bare(start), title: title || " " })) } : undefined; }

  #show() {
    const { item, chapters } = this, { hasVideo } = this.player;
    const pictures = chapters.map(() => hasVideo && h("img", { alt: "", width: 64, height: 36 }));
    this.list.replaceChildren(...chapters.map((chapter, index) => h("li", {}, pictures[index],
      button(t.chapterNew(index + 1), () => this.player.go(chapter.start), { text: clock(seconds(chapter.start), 0) }),
      h("input", { type: "text", value: chapter.title, ariaLabel: t.chapterTitle(index + 1), maxLength: 120, oninput: event => { chapter.title = event.target.value; this.isChanged = true; } }),
      button(t.removeChapter(index + 1), () => { this.chapters = chapters.filter(one => one !== chapter); this.#changed(); }, { text: "×" }))));
    if (hasVideo && chapters.length) this.#pictures(item, chapters, pictures);
  }

  async #pictures(item, chapters, images) {
    try {
      for (let i = 0; i < chapters.length; i += 12) {
        const found = await api.thumbnails(item.id, chapters.slice(i, i + 12).map(one => spell(one.start)), { width: 128, key: true });
        if (this.item !== item) return;
        found.forEach((picture, index) => show(images[i + index], picture.blob));
      }
    } catch { /* The times are there without pictures. */ }
  }
}
customElements.define("chapter-list", ChapterList);
