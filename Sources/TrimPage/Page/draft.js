// The draft of a film: it belongs to the film, by its identity, and is kept by the page's program, so that it outlasts the
// tab, a restart and another name. Parts that the program has not got yet are kept in the tab, and sent again.
import { api } from "/api.js";
import { emit } from "/dom.js";

export class Draft extends EventTarget {
  #item; #parts = {}; #timer; #channel; #isUnsent = false; #isClosed = false;

  constructor(item) {
    super();
    this.#item = item;
    this.#channel = new BroadcastChannel(`draft:${item.id}:${item.version}`);
    // Another tab on the same film.
    this.#channel.onmessage = ({ data: [part, value] }) => { this.#parts[part] = value; emit(this, part, value); };
    this.onhide = () => { if (this.#isUnsent) this.#send(true); };
    addEventListener("pagehide", this.onhide);
  }

  get #key() { return `draft:${this.#item.version}`; }

  async load() {
    const { draft, earlier } = await api.draft(this.#item.id), unsent = api.unsent(this.#key);
    this.earlier = earlier ?? undefined;
    this.#parts = unsent ?? draft ?? {};
    if (unsent) this.#later(0);
    return this;
  }

  get(part) { return this.#parts[part]; }
  set(part, value) {
    this.#parts[part] = value;
    if (!this.#isClosed) this.#channel.postMessage([part, value]);
    this.#later(this.#isClosed ? 0 : 300);
  }

  #later(wait) {
    this.#isUnsent = true;
    api.keepUnsent(this.#key, this.#parts);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#send(), wait);
  }

  async #send(isLast = false) {
    const parts = this.#parts, sent = JSON.stringify(parts);
    try {
      await api.keepDraft(this.#item.id, parts, isLast);
      if (sent !== JSON.stringify(this.#parts)) return;
      this.#isUnsent = false;
      api.keepUnsent(this.#key);
    } catch (error) {
      if (error.code === "gone") { clearTimeout(this.#timer); this.#timer = setTimeout(() => this.#send(), 2000); } else emit(this, "failed", error);
    }
  }

  close() {
    this.#isClosed = true;
    if (this.#isUnsent) this.#send();
    this.#channel.close();
    removeEventListener("pagehide", this.onhide);
  }
}
