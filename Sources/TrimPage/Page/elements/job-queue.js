// The exports of the named files, as trimd tells of them: server-sent events, which begin anew with the present state after each loss.
import { api } from "/api.js";
import { button, h } from "/dom.js";
import { t } from "/strings.js";
import { clock } from "/time.js";

class JobQueue extends HTMLElement {
  #jobs = new Map(); #rows = new Map();

  connectedCallback() {
    this.list = h("ul", { className: "jobs" });
    this.message = h("p", { className: "message", role: "status" });
    this.append(h("h2", {}, t.jobs), this.list, this.message);
    this.events = new EventSource("/api/events");
    const on = (name, act) => this.events.addEventListener(name, event => act(JSON.parse(event.data)));
    on("jobs", jobs => { this.#jobs = new Map(jobs.map(job => [job.id, job])); this.message.textContent = ""; this.#all(); });
    on("job", job => { const had = this.#jobs.get(job.id); this.#jobs.set(job.id, job); this.#all(); if (job.status === "completed" && had?.status !== "completed") this.dispatchEvent(new CustomEvent("completed", { detail: job })); });
    on("progress", progress => { const job = this.#jobs.get(progress.id); if (job) this.#row(Object.assign(job, progress)); });
    on("lost", () => { this.message.textContent = t.daemonGone; });
    this.events.onerror = () => { if (this.events.readyState !== EventSource.OPEN && !this.message.textContent) this.#late = setTimeout(() => { if (this.events.readyState !== EventSource.OPEN) this.message.textContent = t.gone; }, 3000); };
    this.events.onopen = () => { clearTimeout(this.#late); if (this.message.textContent === t.gone) this.message.textContent = ""; };
  }
  #late;

  #all() {
    const jobs = [...this.#jobs.values()].sort((a, b) => b.id - a.id);
    this.#rows = new Map([...this.#rows].filter(([id]) => this.#jobs.has(id)));
    for (const job of jobs) this.#row(job);
    const rows = jobs.map(job => this.#rows.get(job.id).row);
    if (rows.some((row, index) => this.list.children[index] !== row) || rows.length !== this.list.children.length) this.list.replaceChildren(...(rows.length ? rows : [h("li", {}, t.noJobs)]));
  }

  #row(job) {
    let parts = this.#rows.get(job.id);
    if (!parts) {
      parts = { name: h("b"), words: h("span"), bar: h("progress", { max: 1 }), orders: h("span", { className: "orders" }) };
      parts.row = h("li", { id: `job-${job.id}` }, parts.name, parts.bar, parts.words, parts.orders);
      this.#rows.set(job.id, parts);
    }
    const { status } = job, name = job.output.split("/").pop();
    parts.row.dataset.status = status;
    parts.name.textContent = name;
    parts.bar.value = job.progress;
    parts.bar.hidden = status !== "exporting";
    parts.bar.setAttribute("aria-label", name);
    const error = job.error && [job.error.message, job.error.remedy].filter(Boolean).join("; ");
    parts.words.textContent = [t.status[status] ?? status, status === "exporting" && `${Math.floor(job.progress * 100)} %`,
      status === "exporting" && job.remaining && t.left(clock(job.remaining, 0)), error].filter(Boolean).join(" · ");
    const orders = { waiting: ["hold", "cancel"], held: ["release", "cancel"], exporting: job.paused ? ["release", "cancel"] : ["hold", "cancel"], failed: ["retry"], cancelled: ["retry"], completed: ["show"] }[status] ?? [];
    if (parts.orders.dataset.of !== orders.join()) {
      parts.orders.dataset.of = orders.join();
      parts.orders.replaceChildren(...orders.map(word => button(t[word], () => this.#order(job.id, word), { "aria-label": `${t[word]}: ${name}` })));
    }
  }

  async #order(id, word) {
    if (word === "show") return this.dispatchEvent(new CustomEvent("show", { detail: this.#jobs.get(id) }));
    try { await api.order(id, word); this.message.textContent = ""; } catch (error) { this.message.textContent = error.message || t.gone; }
  }
}
customElements.define("job-queue", JobQueue);
