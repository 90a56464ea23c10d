// The film along its time: filmstrip, waveform, ranges with handles, the position, chapters. Draws once a frame at most, from what is
// here; what is missing is fetched beside it.
import { api } from "/api.js";
import { button, choice, clamp, emit, h, on, Speaker, t } from "/dom.js";
import { aspect, bare, clock, near, seconds, spell, zero } from "/time.js";

const { abs, floor, log2, max, min, round } = Math;

// Of a type, so that their values are colours where they are read for drawing.
for (const name of ["accent", "wave", "copy", "encode", "soft", "bad", "dim"]) CSS.registerProperty({ name: `--${name}`, syntax: "<color>", inherits: true, initialValue: "gray" });
// What the strip lacks is seen; that nobody waits for it any more is no fault.
const tell = ({ name, code, message }) => { if (name !== "AbortError" && code !== "gone") console.warn(message); };

// In parts of the height of the text, so that a large screen has a large strip; measured anew where the window changes.
let em, stripHeight, waveHeight, wayHeight;
function measure(hasVideo = true) {
  em = parseFloat(getComputedStyle(document.documentElement).fontSize) / 15;
  stripHeight = hasVideo ? 56 * em : 0;
  [waveHeight, wayHeight] = [100 * em - stripHeight, 4 * em];
}

class TrimTimeline extends Speaker {
  #pictures = new Map(); #wave; #drawing = false; #view = [0, 1]; #stripTimer; #aborter; #way; #progress; #film = new OffscreenCanvas(1, 1); #filmKey; #drawn = 0; #keyframes = []; #listed;

  connectedCallback() {
    measure();
    this.canvas = h("canvas", { height: stripHeight + waveHeight });
    this.track = h("div.track", {}, this.canvas);
    this.head = h("div.head", { role: "slider", tabIndex: 0, ariaLabel: t.position, ariaValueMin: 0 });
    this.ins = this.#handle("start", t.inPoint);
    this.out = this.#handle("end", t.outPoint);
    this.track.append(this.ins, this.out, this.head);
    this.list = h("ol.ranges");
    this.legend = h("p.legend", { hidden: true });
    this.file = h("input", { type: "file", accept: ".csv,.tsv,.edl,.llc,.otio,.jsonl,.xml,.ffmetadata,.txt", hidden: true, onchange: () => this.#readList(this.file.files[0]) });
    const write = choice([["", `${t.writeList}…`], ...Object.entries(t.listFormats)], format => { this.#writeList(format); write.value = ""; }, t.writeList);
    this.undoButton = button(t.undo, () => this.edits.inTurn(() => this.edits.undo()));
    this.redoButton = button(t.redo, () => this.edits.inTurn(() => this.edits.redo()));
    this.append(this.track, h("div.controls", { role: "group", ariaLabel: t.timeline },
      h("span", {}, button(t.zoomOut, () => this.zoom(2), "minus"), button(t.zoomIn, () => this.zoom(0.5), "plus"),
      button(t.zoomAll, () => this.all())), button(t.addRange, () => this.addRange()), button(t.removeRange, () => this.edits.inTurn(() => this.edits.remove())),
      this.undoButton, this.redoButton, h("label", {}, t.snap, choice(Object.entries(t.snaps), way => { this.player.snap = way; this.#findKeyframes(); })),
      button(t.readList, () => this.file.click()), write, this.file, this.legend), this.list, h("p.keys", {}, t.keys.replace(/(?<!·) (?!·)/g, "\u00a0")));
    on(this.track, "pointerdown", event => this.#press(event));
    // A finger that leaves the strip while it moves would fling, and browsers take the next tap, wherever it is, as the end of that.
    on(this.track, "touchstart", event => event.preventDefault(), { passive: false });
    on(this.track, "wheel", event => { event.preventDefault(); this.#wheel(event); }, { passive: false });
    on(this.head, "keydown", event => this.#arrow(event, "head"));
    new ResizeObserver(() => { measure(this.hasVideo); this.#fetch(); this.draw(); }).observe(this.track);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  #handle(side, label) {
    return h("div", { className: `handle ${side}`, role: "slider", tabIndex: 0, ariaLabel: label, ariaValueMin: 0, onkeydown: event => this.#arrow(event, side) });
  }

  open(item, asset, edits, player) {
    for (const picture of this.#pictures.values()) picture.close?.();
    this.#pictures.clear();
    this.#drawn++;
    this.#wave = undefined;
    Object.assign(this, { item, asset, edits, player, length: max(0.001, seconds(asset.duration ?? zero)) });
    measure(this.hasVideo = player.hasVideo);
    this.hasAudio = asset.tracks.some(track => track.kind === "audio");
    this.#keyframes = [];
    this.#findKeyframes();
    this.#progress = undefined;
    this.showPlan();
    on(edits, "awaited", () => { if (this.edits === edits) this.draw(); });
    on(edits, "change", () => { if (this.edits === edits) { this.showPlan(); this.#list(); this.draw(); } });
    this.all();
    this.#list();
  }

  // The view, in seconds.
  get span() { return this.#view[1] - this.#view[0]; }
  get width() { return this.track.clientWidth; }
  #x(s) { return (s - this.#view[0]) / this.span * this.width; }
  #s(x) { return clamp(this.#view[0] + x / this.width * this.span, 0, this.length); }
  /// A few frames at least, and the film at most.
  #possible(span) { return min(this.length, max(min(this.length, 0.2), span)); }
  #show(start, span) {
    span = this.#possible(span);
    start = clamp(start, 0, this.length - span);
    this.#view = [start, start + span];
    this.#fetch();
    this.draw();
  }
  all() { this.#show(0, this.length); }
  /// What is at a time stays where it is drawn.
  zoom(factor, at = this.player.position) { const part = clamp((at - this.#view[0]) / this.span, 0, 1), span = this.#possible(this.span * factor); this.#show(at - part * span, span); }
  #wheel(event) {
    const s = this.#s(event.clientX - this.track.getBoundingClientRect().left);
    if (event.ctrlKey || abs(event.deltaY) > abs(event.deltaX) && !event.shiftKey) this.zoom(event.deltaY > 0 ? 1.25 : 0.8, s);
    else this.#show(this.#view[0] + (event.deltaX || event.deltaY) / this.width * this.span, this.span);
  }

  /// The keyframes are marked once points snap to them: to know them all the file is read.
  async #findKeyframes() {
    const { item, player } = this;
    if (player?.snap !== "keyframes" || !this.hasVideo || this.#keyframes.length) return;
    await this.attempt(async () => {
      const { tracks } = await api.probe(item.id, { keyframes: 1 });
      if (this.item === item) this.#keyframes = (tracks.find(track => track.index === player.track.index)?.keyframes ?? []).map(seconds);
      this.draw();
    });
  }

  /// Shows which parts of a plan are copied and which are encoded; nothing: none is known.
  showPlan(plan) {
    const track = plan?.tracks.find(one => one.kind === "video") ?? plan?.tracks[0];
    this.#way = track && (track.spans ?? plan.ranges.map(range => ({ way: track.way, range })));
    this.#explain();
  }

  /// Shows how far a job of this film is, over the ranges that it keeps, which parts it copies and encodes, where that is known, and up to
  /// which time of the film they are joined.
  showProgress(job, { ranges, spans } = {}) {
    const isRunning = job?.status === "exporting", kept = ranges ?? (job?.requested && [job.requested]);
    this.#progress = isRunning ? { ...job, parts: kept?.map(({ start, end }) => [seconds(start), seconds(end)]) } : undefined;
    if (isRunning) this.#way ??= spans;
    this.#explain();
  }

  /// How many seconds of the parts that a job keeps are joined: those up to the time that it has reached, and all where they are verified.
  get #joined() {
    const { phase, time, parts } = this.#progress ?? {}, at = time && seconds(time);
    if (phase !== "finishing") return phase === "verifying" ? Infinity : 0;
    let sum = 0;
    for (const [start, end] of parts ?? []) {
      const isIn = start <= at && at <= end;
      sum += (isIn ? at : end) - start;
      if (isIn) return sum;
    }
    return 0;
  }

  #explain() {
    const ways = new Set(this.#way?.map(span => span.way === "encode" ? "encode" : "copy")), shown = ["copy", "encode"].filter(way => ways.has(way)).concat(this.#progress ? ["done"] : [], this.#joined ? ["joined"] : []);
    this.legend.hidden = !shown.length;
    if (this.legend.dataset.of !== shown.join()) {
      this.legend.dataset.of = shown.join();
      this.legend.replaceChildren(t.legend, ...shown.flatMap(way => [" ", h("span", { className: `way ${way}` }), " ", t.way[way]]));
    }
    this.draw();
  }

  async #readList(file) {
    if (!file) return;
    this.file.value = "";
    await this.attempt(async () => {
      const bytes = new Uint8Array(await file.arrayBuffer()), mark = bytes[0] << 8 | bytes[1];
      const text = new TextDecoder(mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8").decode(bytes);
      const { edits } = this, { ranges, notes } = await api.readList(this.item.id, file.name, text);
      await edits.inTurn(() => edits.replace(ranges));
      this.said = [t.listRead(ranges.length, file.name), ...notes].join(" ");
    });
  }

  #writeList(format) {
    const { item, edits } = this;
    this.attempt(async () => {
      const { name, text, notes } = await api.writeList(item.id, format, await edits.settled(() => edits.listed(format)));
      const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "text/plain" })), download: name });
      link.click();
      URL.revokeObjectURL(link.href);
      this.said = [t.listWritten(name), ...notes].join(" ");
    });
  }
  /// What is said of lists is said at the top.
  set said(words) { emit(this, "said", words); }

  addRange() {
    const { edits } = this;
    return this.attempt(() => this.player.take(({ actual }) => {
      edits.add(bare(actual));
      this.list.children[edits.selected]?.scrollIntoView({ block: "nearest" });
    }));
  }

  #arrow(event, side) {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -25, PageUp: 25 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    if (side === "head") return this.player.step(step);
    this.player.nudge(side, step);
  }

  #press(event) {
    if (event.button !== 0) return;
    const side = event.target.classList.contains("start") ? "start" : event.target.classList.contains("end") ? "end" : undefined;
    const left = this.track.getBoundingClientRect().left;
    const move = to => { const s = this.#s(to.clientX - left); this.dragged = side && { side, s }; this.player.seek(min(s, this.length - 1e-4)); this.draw(); };
    this.track.setPointerCapture(event.pointerId);
    event.preventDefault();
    (side ? event.target : this.head).focus();
    if (!side) move(event);
    this.track.onpointermove = move;
    this.track.onpointerup = this.track.onpointercancel = async () => {
      this.track.onpointermove = this.track.onpointerup = this.track.onpointercancel = null;
      if (side && this.dragged) await this.player.mark(side);
      this.dragged = undefined;
      this.draw();
    };
  }

  // Drawing.
  #tiles() {
    // Tiles lie on a grid of powers of two, so that zooming finds many that are here.
    const wide = stripHeight * clamp(aspect(this.player.track?.video), 0.5, 2.4);
    const wish = this.span * wide / max(1, this.width), step = 2 ** floor(log2(wish) + 0.3);
    const times = [];
    for (let at = floor(this.#view[0] / step) * step; at < this.#view[1]; at += step) times.push(min(at, this.length - 1e-3));
    return { times, step, key: step > 1 };
  }

  #fetch() {
    clearTimeout(this.#stripTimer);
    this.#aborter?.abort();
    this.#aborter = new AbortController();
    if (!this.item) return;
    this.#stripTimer = setTimeout(() => { this.#fetchStrip(); this.#fetchWave(); }, 80);
  }

  async #fetchStrip() {
    if (!this.hasVideo || !this.width) return;
    const item = this.item, { times, step, key } = this.#tiles(), aborter = this.#aborter, size = em, far = [];
    // Those of a smaller strip are shown until larger ones are here.
    const missing = times.filter(at => !(this.#pictures.get(this.#name(at, key))?.size >= size));
    try {
      await this.#turn();
      // Keyframes come soon; where they are far from what is meant, the frames themselves follow.
      for (let i = 0; i < missing.length || far.length; i += 12) {
        const part = i < missing.length ? missing.slice(i, i + 12) : far.splice(0, 6), isKey = key && i < missing.length;
        const pictures = await api.thumbnails(item.id, part.map(at => spell(near(at))), { width: min(320, round(96 * size * min(2, devicePixelRatio))), key: isKey, signal: aborter.signal });
        const images = await Promise.all(pictures.map(picture => createImageBitmap(picture.blob)));
        if (this.item !== item) return;
        part.forEach((at, index) => {
          if (isKey && at - seconds(pictures[index].actual) > step * 0.6) far.push(at);
          this.#pictures.set(this.#name(at, key), Object.assign(images[index], { size }));
        });
        this.#drawn++;
        this.draw();
        await this.#turn();
      }
    } catch (error) { tell(error); }
  }
  /// A frame that a person waits for comes before the strip.
  async #turn() { while (this.player.waits) await new Promise(resolve => setTimeout(resolve, 50)); }
  #name(at, key) { return `${at.toFixed(4)} ${key}`; }

  async #fetchWave() {
    if (!this.hasAudio || !this.width) return;
    const item = this.item, [start, end] = this.#view, aborter = this.#aborter;
    await this.#turn();
    if (this.item !== item) return;
    if (this.#wave?.start === start && this.#wave?.end === end) return;
    try {
      const buckets = clamp(round(this.width / 2), 100, 2000);
      const report = await api.waveform(item.id, { start: spell(near(start)), end: spell(near(end)), buckets }, aborter.signal);
      if (this.item !== item) return;
      this.#wave = { start, end, report };
      this.#drawn++;
      this.draw();
    } catch (error) { tell(error); }
  }

  draw() {
    if (this.#drawing) return;
    this.#drawing = true;
    requestAnimationFrame(() => { this.#drawing = false; if (this.item) this.#paint(); });
  }

  /// Filmstrip and waveform, drawn anew only where they change: while something is dragged they are a picture.
  #paintFilm(width, height, ratio, style) {
    const key = [width, height, ratio, ...this.#view, this.#drawn, style.getPropertyValue("--wave")].join();
    if (this.#filmKey === key) return;
    this.#filmKey = key;
    this.#film.width = max(1, round(width * ratio));
    this.#film.height = round(height * ratio);
    const pen = this.#film.getContext("2d");
    pen.scale(ratio, ratio);
    if (this.hasVideo) {
      const { times, step, key } = this.#tiles(), wide = step / this.span * width;
      for (const at of times) {
        const picture = this.#pictures.get(this.#name(at, key));
        if (!picture) continue;
        // As wide as its time: cut at its sides, or enlarged.
        const x = this.#x(floor(at / step + 1e-6) * step), scale = max(wide / picture.width, stripHeight / picture.height), part = wide / scale, tall = stripHeight / scale;
        pen.drawImage(picture, (picture.width - part) / 2, (picture.height - tall) / 2, part, tall, x, 0, wide + 0.5, stripHeight);
      }
    }
    if (!this.#wave) return;
    const { start, end, report } = this.#wave, count = report.peaks.length, middle = stripHeight + waveHeight / 2, most = max(0.05, ...report.peaks);
    for (const [levels, color] of [[report.peaks, "--wave"], [report.rms, "--accent"]]) {
      pen.fillStyle = style.getPropertyValue(color);
      for (let i = 0; i < count; i++) {
        const x = this.#x(start + (end - start) * i / count), next = this.#x(start + (end - start) * (i + 1) / count);
        if (next < 0 || x > width) continue;
        const tall = max(0.5, levels[i] / most * waveHeight / 2);
        pen.fillRect(x, middle - tall, max(0.5, next - x), 2 * tall);
      }
    }
  }

  #paint() {
    const { width } = this, ratio = devicePixelRatio, height = stripHeight + waveHeight;
    const size = [width, height].map(length => round(length * ratio));
    if (this.canvas.width !== size[0] || this.canvas.height !== size[1]) [this.canvas.width, this.canvas.height] = size;
    const pen = this.canvas.getContext("2d"), style = getComputedStyle(this);
    this.#paintFilm(width, height, ratio, style);
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.drawImage(this.#film, 0, 0);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    // The rest is dimmed: what is left out.
    pen.fillStyle = style.getPropertyValue("--dim");
    const { edits, dragged } = this, moved = Object.entries({ ...edits.awaited, ...(dragged && { [dragged.side]: dragged.s }) }).map(([side, s]) => [side, near(s)]);
    const ranges = edits.ranges.map((range, index) => index === edits.selected ? { ...range, ...Object.fromEntries(moved) } : range);
    const spans = ranges.map(range => Object.assign(edits.at(range), { play: range.play })), kept = edits.keptOf(ranges).map(range => edits.at(range)).sort((a, b) => a[0] - b[0]);
    let at = this.#view[0];
    for (const [start, end] of kept) {
      if (start > at) pen.fillRect(this.#x(at), 0, this.#x(start) - this.#x(at), height);
      at = max(at, end);
    }
    if (at < this.#view[1]) pen.fillRect(this.#x(at), 0, width - this.#x(at), height);
    const bar = (from, to, y, tall, color) => { pen.fillStyle = style.getPropertyValue(color); pen.fillRect(this.#x(from), y, max(1, this.#x(to) - this.#x(from)), tall); };
    for (const { play, 0: start, 1: end } of spans) if (play && play !== "remove") bar(start, end, max(0, stripHeight - wayHeight * 3), wayHeight * 2, play === "skip" ? "--soft" : "--bad");
    for (const { way, range } of this.#way ?? []) bar(seconds(range.start), seconds(range.end), stripHeight, wayHeight, way === "encode" ? "--encode" : "--copy");
    if (this.#progress) {
      // Those of the job: a person may edit on.
      const { phase, progress, parts = kept } = this.#progress, all = parts.reduce((sum, [start, end]) => sum + end - start, 0);
      const line = (left, times, color) => { for (const [start, end] of parts) { const part = min(left, end - start); if (part > 0) bar(start, start + part, height - wayHeight * times, wayHeight, color); left -= part; } };
      // What is joined has all been made.
      line(/finishing|verifying/.test(phase) ? all : progress * all, 1, "--accent");
      line(this.#joined, 2, "color");
    }
    const seen = this.#keyframes.filter(at => at >= this.#view[0] && at <= this.#view[1]);
    if (seen.length < width / 4) for (const at of seen) bar(at, at + this.span * 0.0025, stripHeight - 7 * em, 7 * em, "--accent");
    for (const chapter of this.chapters) bar(seconds(chapter.start), seconds(chapter.start) + this.span * 0.002, 0, 8 * em, "--accent");
    const [start, end] = spans[edits.selected];
    // At the ends of the strip they lie within it, so that they are seen and can be taken: how wide they are to the left and right.
    for (const [handle, s, before, after] of [[this.ins, start, 8, 0], [this.out, end, 0, 8], [this.head, this.player.position, 1, 1]]) {
      const x = this.#x(s), isSeen = x > -1 && x < width + 1;
      handle.style.transform = `translateX(${isSeen ? clamp(x, before, width - after) : clamp(x, -20, width + 20)}px)`;
      // Its words follow once it rests.
      if (handle.at === s) continue;
      handle.at = s;
      clearTimeout(handle.timer);
      handle.timer = setTimeout(() => Object.assign(handle, { ariaValueNow: s.toFixed(3), ariaValueMax: this.length.toFixed(3), ariaValueText: clock(s) }), 150);
    }
  }

  #list() {
    const { edits } = this;
    this.undoButton.disabled = !edits.canUndo;
    this.redoButton.disabled = !edits.canRedo;
    // A label that was typed is there already: the rows stay, and with them the field that has the focus by now.
    const key = JSON.stringify([this.item.version, edits.selected, edits.ranges.map(({ label, ...rest }) => rest)]);
    if (key === this.#listed) return this.list.querySelectorAll("input").forEach((input, index) => { if (input !== document.activeElement) input.value = edits.ranges[index].label ?? ""; });
    this.#listed = key;
    this.list.replaceChildren(...edits.ranges.map((range, index) => {
      const { start, end } = edits.span(range), isSelected = index === edits.selected, name = t.range(index + 1);
      return h("li", { className: range.play }, button(name, () => { edits.inTurn(() => edits.select(index)); this.player.go(start); },
        { text: t.rangeIs(clock(seconds(start)), clock(seconds(end)), t.seconds((seconds(end) - seconds(start)).toFixed(3))), ariaPressed: String(isSelected) }),
        Object.assign(choice(Object.entries(t.kinds), play => edits.change(state => { state.ranges[index].play = play || undefined; }), `${name}: ${t.kind}`), { value: range.play ?? "" }),
        h("input", { type: "text", value: range.label ?? "", placeholder: t.label, ariaLabel: `${name}: ${t.label}`,
          onchange: event => edits.change(state => { state.ranges[index].label = event.target.value; }) }));
    }));
  }
}
customElements.define("trim-timeline", TrimTimeline);
