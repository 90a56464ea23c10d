// Plays a film: as it is where the browser can, else as a preview of segments. At rest it shows the exact frame that trimd decodes, with
// its time; the points of a cut are taken from that frame, never from the browser's clock.
import { api } from "/api.js";
import { h, button } from "/dom.js";
import { PreviewSource } from "/elements/preview-source.js";
import { t } from "/strings.js";
import { add, before, clock, compare, near, seconds, spell, timecode, zero } from "/time.js";

const types = { mp4: "video/mp4", m4v: "video/mp4", mov: "video/mp4", webm: "video/webm", mkv: "video/x-matroska", m4a: "audio/mp4", mp3: "audio/mpeg", wav: "audio/wav", flac: "audio/flac", ogg: "audio/ogg", oga: "audio/ogg", opus: "audio/ogg" };

class TrimPlayer extends HTMLElement {
  #steps = 0; #wanted; #busy = false; #shuttle = 0; #frame; #source; #kept = false; #url; #target;

  connectedCallback() {
    this.video = h("video", { playsInline: true, preload: "auto", tabIndex: -1, "aria-label": t.player });
    this.still = h("img", { alt: "", className: "still", hidden: true });
    this.readout = h("output", { className: "readout" });
    this.message = h("p", { className: "message", role: "status" });
    this.playButton = button(t.play, () => this.toggle(), { text: "▶" });
    const speed = h("select", { "aria-label": t.speed, onchange: () => { this.video.playbackRate = Number(speed.value); } },
      ...[0.25, 0.5, 1, 1.5, 2, 4].map(rate => h("option", { value: rate, selected: rate === 1 }, `${rate}×`)));
    const volume = h("input", { type: "range", min: 0, max: 1, step: 0.05, value: 1, "aria-label": t.volume, oninput: () => { this.video.volume = Number(volume.value); } });
    this.keptBox = h("input", { type: "checkbox", onchange: () => { this.#kept = this.keptBox.checked; } });
    this.append(
      h("div", { className: "screen" }, this.video, this.still, this.message),
      this.readout,
      h("div", { className: "controls", role: "group", "aria-label": t.player },
        button(t.toStart, () => this.toStart(), { text: "|◀◀" }), button(t.back, () => this.step(-1), { text: "−1", className: "step" }), this.playButton,
        button(t.on, () => this.step(1), { text: "+1", className: "step" }), button(t.toEnd, () => this.toEnd(), { text: "▶▶|" }),
        button(t.setIn, () => this.mark("start"), { text: "[ I" }), button(t.setOut, () => this.mark("end"), { text: "O ]" }),
        speed, volume, h("label", {}, this.keptBox, t.kept),
        "requestPictureInPicture" in this.video && button(t.pip, () => this.pip(), { text: "PiP" }),
        button(t.full, () => this.full())),
      h("p", { className: "keys" }, t.keys));
    this.video.addEventListener("play", () => this.#playing());
    this.video.addEventListener("pause", () => this.#resting());
    this.video.addEventListener("ended", () => { this.#resting(); this.dispatchEvent(new Event("finished")); });
    this.querySelector(".screen").addEventListener("click", () => this.toggle());
    this.querySelector(".screen").addEventListener("wheel", event => { event.preventDefault(); this.step(Math.sign(event.deltaY || event.deltaX)); }, { passive: false });
  }

  /// Opens a film.
  async open(item, asset, edits) {
    this.#source?.close();
    this.#source = undefined;
    Object.assign(this, { item, asset, edits });
    this.#frame = undefined;
    this.#shuttle = 0;
    this.message.textContent = "";
    this.duration = asset.duration ?? zero;
    this.track = asset.tracks.find(track => track.kind === "video" && !track.dispositions?.includes("attached_pic"));
    this.hasVideo = !!this.track;
    this.classList.toggle("sound", !this.hasVideo);
    const rate = this.track?.video?.frameRate;
    this.rate = rate && (typeof rate === "object" ? rate.numerator / rate.denominator : String(rate).split("/").map(Number).reduce((a, b) => a / b));
    const isNative = await this.#tryNative(item);
    if (this.item !== item) return;
    if (!isNative) this.#usePreview();
    this.dataset.mode = isNative ? "native" : this.#source ? "segments" : "none";
    await this.show(zero);
  }

  #tryNative(item) {
    const type = types[item.name.split(".").pop().toLowerCase()];
    if (!type || !this.video.canPlayType(type)) return Promise.resolve(false);
    return new Promise(resolve => {
      const end = works => { clearTimeout(timer); this.video.onloadeddata = this.video.onerror = null; resolve(works); };
      const timer = setTimeout(() => end(false), 8000);
      this.video.onloadeddata = () => end((!this.hasVideo || this.video.videoWidth > 0) && Math.abs(this.video.duration - seconds(this.duration)) < 0.5);
      this.video.onerror = () => end(false);
      this.video.src = api.file(item.id);
    });
  }

  #usePreview() {
    if (!PreviewSource.isPossible) { this.message.textContent = t.cannotPlay; return; }
    this.#source = new PreviewSource(this.video, this.item, seconds(this.duration), this.clientWidth > 900 ? 960 : 640, error => {
      this.message.textContent = error.message;
    });
  }

  get isPlaying() { return !this.video.paused && !this.video.ended; }
  /// The frame at rest: its time, duration and number.
  get frame() { return this.#frame; }
  /// The position in seconds, for drawing.
  get position() { return this.isPlaying || this.#shuttle || !this.#frame ? this.video.currentTime : seconds(this.#frame.actual); }

  toggle() { this.#shuttle = 0; if (this.isPlaying) this.video.pause(); else this.#start(1); }
  #start(rate) {
    this.video.playbackRate = rate;
    if (this.#frame) this.video.currentTime = seconds(this.#frame.actual) + 0.0005;
    this.video.play().catch(error => { this.message.textContent = error.message; this.#resting(); });
  }

  /// J, K and L: back, rest, on; again is faster.
  shuttle(word) {
    if (word === 0) { this.#shuttle = 0; if (this.isPlaying) this.video.pause(); else this.#resting(); return; }
    if (word > 0) {
      const rate = this.isPlaying && !this.#shuttle ? Math.min(4, this.video.playbackRate * 2) : 1;
      this.#shuttle = 0;
      return this.isPlaying ? void (this.video.playbackRate = rate) : this.#start(rate);
    }
    this.video.pause();
    const isBegun = this.#shuttle < 0;
    this.#shuttle = isBegun ? Math.max(-8, this.#shuttle * 2) : -1;
    if (isBegun) return;
    let last = performance.now(), at = this.position;
    const turn = now => {
      if (!this.#shuttle) return;
      at = Math.max(0, at + this.#shuttle * (now - last) / 1000);
      last = now;
      this.show(near(at));
      this.dispatchEvent(new Event("moved"));
      if (at === 0) { this.#shuttle = 0; return; }
      requestAnimationFrame(turn);
    };
    requestAnimationFrame(turn);
  }

  #playing() {
    this.still.hidden = true;
    this.playButton.textContent = "II";
    this.playButton.setAttribute("aria-label", t.pause);
    const turn = () => {
      if (!this.isPlaying) return;
      if (this.#kept) this.#jump();
      this.#say();
      this.dispatchEvent(new Event("moved"));
      requestAnimationFrame(turn);
    };
    requestAnimationFrame(turn);
  }

  /// Leaves out what is not kept.
  #jump() {
    const at = this.video.currentTime, spans = this.edits.ranges.map(range => this.edits.span(range)).sort((a, b) => compare(a.start, b.start));
    if (spans.some(span => at >= seconds(span.start) - 0.02 && at < seconds(span.end) - 0.02)) return;
    const next = spans.find(span => seconds(span.start) > at);
    if (next) this.video.currentTime = seconds(next.start);
    else this.video.pause();
  }

  #resting() {
    this.playButton.textContent = "▶";
    this.playButton.setAttribute("aria-label", t.play);
    this.show(near(Math.min(this.video.currentTime, seconds(this.duration) - 0.001)));
  }

  /// Shows the exact frame at a time. Of many wishes only the last is served.
  async show(at) {
    if (compare(at, zero) < 0) at = zero;
    if (!this.hasVideo) {
      this.#frame = { actual: compare(at, this.duration) >= 0 ? this.duration : at, duration: zero };
      this.video.currentTime = seconds(this.#frame.actual);
      this.#say();
      this.dispatchEvent(new Event("moved"));
      return;
    }
    this.#target = at;
    this.#wanted = compare(at, this.duration) >= 0 ? "-1f" : spell(at);
    this.#steps = 0;
    await this.#serve();
  }

  async #serve() {
    if (this.#busy) return;
    this.#busy = true;
    const item = this.item;
    try {
      while ((this.#wanted || this.#steps) && this.item === item) {
        let at = this.#wanted;
        this.#wanted = undefined;
        if (!at) {
          const frame = this.#frame;
          let to = this.#steps > 0 ? add(frame.actual, { value: frame.duration.value * this.#steps, timescale: frame.duration.timescale })
            : this.#steps === -1 ? before(frame.actual) : add(frame.actual, { value: frame.duration.value * this.#steps, timescale: frame.duration.timescale });
          if (compare(to, zero) < 0) to = zero;
          if (compare(to, this.duration) >= 0) { this.#steps = 0; continue; }
          at = spell(to);
          this.#steps = 0;
        }
        const width = Math.min(1920, Math.max(320, Math.round(this.clientWidth * devicePixelRatio)));
        const [picture] = await api.thumbnails(item.id, [at], { width });
        if (this.item !== item) break;
        this.#frame = picture;
        if (this.#wanted === undefined) this.#target = undefined;
        if (this.#wanted === undefined && !this.#steps && !this.isPlaying) await this.#present(picture);
      }
    } catch (error) {
      this.#wanted = this.#target = undefined;
      this.#steps = 0;
      this.message.textContent = error.code === "gone" ? t.gone : error.message;
    } finally { this.#busy = false; }
    if (this.item !== item && this.#wanted) this.#serve();
  }

  async #present(picture) {
    const url = URL.createObjectURL(picture.blob);
    this.still.src = url;
    await this.still.decode().catch(() => {});
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = url;
    this.still.hidden = this.isPlaying;
    this.message.textContent = "";
    if (!this.isPlaying && Math.abs(this.video.currentTime - seconds(picture.actual)) > 0.001) this.video.currentTime = seconds(picture.actual) + 0.0005;
    this.#say();
    this.dispatchEvent(new Event("moved"));
  }

  #say() {
    const frame = this.isPlaying ? undefined : this.#frame, s = this.position;
    const number = frame ? frame.number : undefined;
    const code = timecode(number, this.rate, this.asset?.timecode);
    this.readout.replaceChildren(
      h("b", {}, code || clock(s)), " ", h("span", {}, t.seconds(s.toFixed(3))), " ", h("span", {}, number === undefined ? "" : t.frame(number)));
    this.readout.dataset.number = number ?? "";
    this.readout.dataset.time = frame ? spell(frame.actual) : "";
  }

  /// Steps some frames.
  step(count) {
    this.#shuttle = 0;
    if (this.isPlaying) this.video.pause();
    if (!this.hasVideo) return this.skip(count * 0.01);
    if (!this.#frame) return;
    this.#steps += count;
    this.#serve();
  }

  /// Goes some seconds on from where it is, or is about to be.
  skip(s) {
    this.#shuttle = 0;
    if (this.isPlaying) { this.video.currentTime = Math.max(0, this.video.currentTime + s); return; }
    const from = this.#target ? seconds(this.#target) : this.position, steps = this.#frame ? this.#steps * seconds(this.#frame.duration) : 0;
    this.show(near(Math.max(0, from + steps + s)));
  }
  seek(s) { this.#shuttle = 0; if (this.isPlaying) this.video.currentTime = s; else this.show(near(s)); }
  toStart() { this.seek(0); }
  toEnd() { this.video.pause(); this.show(this.duration); }

  /// Sets the in point to the frame at rest, or the out point to its end: it is the last one kept.
  async mark(side) {
    if (this.isPlaying) { this.video.pause(); }
    while (this.#busy) await new Promise(resolve => setTimeout(resolve, 15));
    if (!this.#frame) return;
    let at = side === "start" ? this.#frame.actual : add(this.#frame.actual, this.#frame.duration);
    if (compare(at, this.duration) >= 0) at = this.duration;
    else at = await this.#snapped(at, side);
    this.edits.setPoint(side, { value: at.value, timescale: at.timescale });
  }

  /// The point that is meant: of keyframes the one on screen at the frame, of chapters the nearest start.
  async #snapped(at, side) {
    try {
      if (this.snap === "keyframes" && this.hasVideo) return (await api.thumbnails(this.item.id, [spell(this.#frame.actual)], { width: 16, key: true }))[0].actual;
    } catch (error) { this.message.textContent = error.message; }
    const starts = this.snap === "chapters" ? (this.asset.chapters ?? []).map(chapter => chapter.start).concat(side === "end" ? [this.duration] : [zero]) : [];
    const far = time => Math.abs(seconds(time) - seconds(at));
    return starts.length ? starts.reduce((best, one) => far(one) < far(best) ? one : best) : at;
  }

  async pip() {
    try { if (document.pictureInPictureElement) await document.exitPictureInPicture(); else await this.video.requestPictureInPicture(); } catch (error) { this.message.textContent = error.message; }
  }
  full() { if (document.fullscreenElement) document.exitFullscreen(); else this.requestFullscreen?.(); }
}
customElements.define("trim-player", TrimPlayer);
