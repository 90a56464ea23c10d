// The exports of the named files, as trimd tells of them: server-sent events, which begin anew with the present state after each loss.
import { api, spoken } from "/api.js";
import { button, dialog, emit, h, on, Speaker, t } from "/dom.js";
import { clock } from "/time.js";

const begun = ["hold", "cancel", "log"], stopped = ["release", "cancel", "log"], broken = ["retry", "log", "remove"];
const orders = { waiting: begun, held: stopped, exporting: begun, paused: stopped, failed: broken, cancelled: broken, completed: ["show", "compare", "log", "remove"] };

class JobQueue extends Speaker {
  #jobs = new Map(); #rows = new Map(); #aborter;

  connectedCallback() {
    this.list = h("ul.jobs");
    this.append(h("h2", {}, t.jobs), this.list, this.message);
    this.listen();
  }

  /// Hears of the jobs from now on; again, where more may be seen than before. Where the page's program has gone, its next one is looked for.
  async listen() {
    this.#aborter?.abort();
    const { signal } = this.#aborter = new AbortController();
    for (let late; !signal.aborted;) {
      try {
        await api.events(signal, (name, data) => {
          clearTimeout(late);
          late = undefined;
          if (this.said === t.gone) this.said = "";
          this.#hear[name]?.(JSON.parse(data));
        });
      } catch (error) { if (error.code === "refused") { this.said = error.message; this.dataset.known = ""; return; } }
      if (signal.aborted) break;
      this.dataset.known = "";
      late ??= setTimeout(() => { if (!signal.aborted && !this.said) this.said = t.gone; }, 3000);
      await api.follow();
      await new Promise(resolve => setTimeout(resolve, 1000));
    }
  }
  #hear = {
    jobs: jobs => { this.#jobs = new Map(jobs.map(job => [job.id, job])); this.said = ""; this.dataset.known = ""; this.#all(); this.repeat(); },
    job: job => { const had = this.#jobs.get(job.id); this.#jobs.set(job.id, job); this.#all(); this.#tell("changed", job); if (job.status === "completed" && had?.status !== "completed") this.#tell("completed", job); },
    progress: progress => { const job = this.#jobs.get(progress.id); if (job) { this.#row(Object.assign(job, { speed: undefined, remaining: undefined, time: undefined }, progress)); this.#tell("changed", job); } },
    files: () => this.#tell("files"),
    lost: () => { this.said = t.daemonGone; this.dataset.known = ""; },
  };
  /// Tells again of the jobs that run.
  repeat() { for (const job of this.#jobs.values()) if (job.status === "exporting") this.#tell("changed", job); }
  #tell(name, job) { emit(this, name, job); }

  #all() {
    const jobs = [...this.#jobs.values()].sort((a, b) => b.id - a.id);
    this.#rows = new Map([...this.#rows].filter(([id]) => this.#jobs.has(id)));
    for (const job of jobs) this.#row(job);
    const rows = jobs.map(job => this.#rows.get(job.id).row);
    if (!rows.length || rows.some((row, index) => this.list.children[index] !== row) || rows.length !== this.list.children.length) this.list.replaceChildren(...(rows.length ? rows : [h("li.none", {}, t.noJobs)]));
  }

  #row(job) {
    let parts = this.#rows.get(job.id);
    if (!parts) {
      parts = { name: h("b"), words: h("span"), bar: h("progress", { max: 1 }), orders: h("span.orders") };
      parts.row = h("li", { id: `job-${job.id}` }, parts.name, parts.bar, parts.words, parts.orders);
      this.#rows.set(job.id, parts);
    }
    const { status } = job, name = job.output.split("/").pop(), isRunning = status === "exporting";
    parts.row.dataset.status = status;
    parts.name.textContent = name;
    parts.bar.value = job.progress;
    parts.bar.hidden = !isRunning;
    parts.bar.ariaLabel = name;
    const error = status !== "cancelled" && job.error && spoken(job.error);
    parts.words.textContent = [isRunning && job.paused ? t.paused : isRunning && t.phase[job.phase] || (t.status[status] ?? status), isRunning && `${Math.floor(job.progress * 100)} %`, isRunning && job.speed && t.times(job.speed),
      isRunning && job.remaining && t.left(clock(job.remaining, 0)), error].filter(Boolean).join(" · ");
    const words = orders[isRunning && job.paused ? "paused" : status] ?? [];
    if (parts.orders.dataset.of !== words.join()) {
      const focused = parts.orders.contains(document.activeElement) && document.activeElement.dataset.word;
      parts.orders.dataset.of = words.join();
      parts.orders.replaceChildren(...words.map(word => { const one = button(t[word], () => this.#order(job.id, word), { ariaLabel: `${t[word]}: ${name}` }); one.dataset.word = word; return one; }));
      if (focused) (parts.orders.querySelector(`[data-word=${focused}]`) ?? parts.orders.firstChild)?.focus();
    }
  }

  async #order(id, word) {
    const job = this.#jobs.get(id);
    if (word === "show" || word === "compare") return this.#tell(word, job);
    if (word === "log") return this.#log(job);
    await this.attempt(async () => {
      await api.order(id, word);
      this.said = "";
      if (word === "remove") { this.#jobs.delete(id); this.#all(); }
    });
  }

  /// A job's log, as long as the dialog is open.
  async #log(job) {
    const text = h("pre", { tabIndex: 0, ariaLabel: t.log }), box = dialog(`${t.log}: ${job.output.split("/").pop()}`, text);
    while (box.isConnected) {
      try { text.textContent = (await api.order(job.id, "log")).text || t.noLog; } catch (error) { text.textContent = error.message; }
      if ((this.#jobs.get(job.id) ?? { ended: 1 }).ended) return;
      await new Promise(resolve => setTimeout(resolve, 1500));
    }
  }
}
customElements.define("job-queue", JobQueue);
