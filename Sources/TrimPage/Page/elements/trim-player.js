// Plays a film: as it is where the browser can, else as a preview of segments. At rest it shows the exact frame that trimd decodes, with
// its time; the points of a cut are taken from that frame, never from the browser's clock.
import { api } from "/api.js";
import { CueTrack } from "/cue-track.js";
import { button, choice, clamp, emit, h, icon, on, show, Speaker, t, trackName } from "/dom.js";
import { isFilm, playFilm } from "/elements/preview-source.js";
import { FramesAhead } from "/frames-ahead.js";
import { add, aspect, bare, before, clock, compare, near, ratio, roughly, seconds, spell, timecode, zero } from "/time.js";

const { abs, floor, max, min, round, sign } = Math;

/// How many of some frames are stepped at once: at a variable rate one, since each has a duration of its own.
const stride = (steps, rate) => rate ? steps : sign(steps);
/// A time in the frame some frames on, in its middle where there are several: containers round times; nothing behind the last one.
const stepped = ({ actual, duration }, steps, rate, length) => {
  const to = steps === -1 ? before(actual) : steps === 1 ? add(actual, duration) : near(seconds(actual) + (steps + 0.5) / rate);
  return compare(to, zero) < 0 ? zero : compare(to, length) < 0 ? to : undefined;
};

class TrimPlayer extends Speaker {
  #steps = 0; #wanted; #busy = false; #shuttle = 0; #frame; #source; #kept = false; #target; #seen = new Set(); #played = 0; #shown; #isFar = false; #sound; #drawn; #trouble = ""; #isDamaged; #passing; #told; #asked; #ahead; #way = 0; #aborter = new AbortController();

  connectedCallback() {
    const video = this.video = h("video", { playsInline: true, preload: "auto", tabIndex: -1, ariaLabel: t.player });
    this.still = h("img.still", { alt: "", hidden: true });
    this.readout = h("output.readout");
    this.playButton = button(t.play, () => this.toggle(), "play");
    const speed = choice([0.25, 0.5, 1, 1.5, 2, 3, 4].map(rate => [rate, `${rate}×`]), rate => { video.playbackRate = video.defaultPlaybackRate = rate; }, t.speed);
    speed.value = 1;
    on(video, "ratechange", () => { speed.value = video.playbackRate; });
    const volume = h("input", { type: "range", min: 0, max: 1, step: 0.05, value: 1, ariaLabel: t.volume, oninput: () => { video.volume = Number(volume.value); } });
    this.keptBox = h("input", { type: "checkbox", onchange: () => { this.#kept = this.keptBox.checked; } });
    this.tracks = choice([], track => this.#chooseTrack(Number(track)), t.audioTracks, { hidden: true });
    this.texts = choice([], track => this.#chooseText(track), t.subtitleTracks, { hidden: true });
    this.codeBox = h("input", { type: "checkbox", onchange: () => this.#say() });
    const sizes = choice(Object.entries(t.aspects), size => { this.dataset.aspect = size; if (!this.isPlaying) this.#resting(); }, t.aspect);
    this.place = h("input.place", { type: "text", placeholder: t.goTo, ariaLabel: t.goTo, onchange: () => this.#find(this.place.value.trim()) });
    this.tag = h("p.tag", { role: "status" });
    this.code = h("p.tag.code", { ariaLabel: t.code });
    this.cue = h("p.cue");
    this.append(
      h("div", { className: "screen", onpointermove: event => { const { left, top, width, height } = this.screen.getBoundingClientRect(); this.pan((event.clientX - left) / width, (event.clientY - top) / height); } },
        video, this.still, this.tag, this.code, this.cue, this.message),
      h("div.facts", {}, this.readout, h("div.controls", {}, this.place, sizes, h("label", {}, this.codeBox, t.code), h("label", {}, this.keptBox, t.kept))),
      h("div.controls", { role: "group", ariaLabel: t.player },
        h("span", {}, button(t.toStart, () => this.toStart(), "start"), button(t.back, () => this.step(-1), "back"), this.playButton,
          button(t.on, () => this.step(1), "on"), button(t.toEnd, () => this.toEnd(), "end")),
        h("span", {}, button(t.setIn, () => this.mark("start"), "in"), button(t.setOut, () => this.mark("end"), "out")),
        speed, h("span.volume", {}, icon("loud"), volume),
        h("span", {}, "requestPictureInPicture" in video && document.pictureInPictureEnabled && button(t.pip, () => this.pip(), "pip"), button(t.full, () => this.full(), "full")),
        this.tracks, this.texts));
    on(video, "play", () => this.#playing());
    // Away from the page nothing lies over the picture: its text is drawn on it.
    for (const word of ["enter", "leave"]) on(video, `${word}pictureinpicture`, async () => {
      this.classList.toggle("away", word === "enter");
      if (word === "enter") this.still.hidden = true;
      if (!await this.#draw() && word === "leave" && !this.isPlaying) this.#resting();
    });
    // The time of the picture that is on screen, where the browser tells it.
    const seen = (now, { mediaTime }) => { this.#shown = mediaTime - this.#offset; video.requestVideoFrameCallback(seen); };
    video.requestVideoFrameCallback?.(seen);
    on(video, "waiting", () => { if (this.#trouble) video.pause(); });
    on(video, "pause", () => this.#resting());
    // What the browser's own playing does not get over, the preview does.
    on(video, "error", () => { if (this.#source?.mode === "native" && video.error?.code > 2) { this.#isDamaged = true; this.#again({ isPlaying: this.#passing !== undefined, position: this.#passing }); } });
    on(video, "ended", () => { this.#resting(); emit(this, "finished"); });
    this.screen = this.querySelector(".screen");
    on(this.screen, "click", () => this.toggle());
    on(this.screen, "wheel", event => { event.preventDefault(); this.step(sign(event.deltaY || event.deltaX)); }, { passive: false });
  }

  /// Opens a film.
  async open(item, asset, edits) {
    this.#source?.close();
    this.#source = undefined;
    Object.assign(this, { item, asset, edits });
    this.#aborter.abort();
    this.#aborter = new AbortController();
    this.#frame = this.#target = this.#shown = undefined;
    this.readout.replaceChildren();
    this.readout.dataset.number = this.readout.dataset.time = "";
    this.#shuttle = 0;
    this.still.hidden = true;
    this.video.poster = item.poster ?? "";
    this.said = this.#trouble = "";
    this.#isDamaged = false;
    this.duration = asset.duration ?? zero;
    const films = asset.tracks.filter(isFilm);
    this.track = films.find(track => track.dispositions?.includes("default")) ?? films[0];
    this.hasVideo = !!this.track;
    this.classList.toggle("sound", !this.hasVideo);
    this.hasCover = !this.hasVideo && asset.tracks.some(track => track.kind === "video");
    this.classList.toggle("cover", this.hasCover);
    if (this.hasCover) api.frame(item.id, "0", { width: 640 }).then(({ blob }) => { if (this.item === item) { show(this.still, blob); this.#uncover(); } }, error => console.warn(error.message));
    // Of a variable rate there is no timecode, and no number while it plays.
    this.rate = this.track?.video?.isVariable ? NaN : ratio(this.track?.video?.frameRate);
    this.#ahead?.pause();
    this.#ahead = new FramesAhead(item, this.rate, this.duration);
    const sounds = asset.tracks.filter(track => track.kind === "audio");
    this.tracks.hidden = sounds.length < 2;
    this.tracks.replaceChildren(...sounds.map(track => h("option", { value: track.index }, trackName(track))));
    const texts = asset.tracks.filter(track => track.kind === "subtitle");
    this.texts.hidden = !texts.length;
    this.texts.replaceChildren(h("option", { value: "" }, `${t.subtitleTracks}: ${t.noText}`), ...texts.flatMap(track => {
      const { index, codec } = track, words = trackName(track), isText = /^(subrip|srt|ass|ssa|webvtt|mov_text|text)$/.test(codec), drawn = `${index}d`;
      // Pictures, and text with its styles, are drawn on the frames by trimd.
      return isText ? [h("option", { value: index }, words), h("option", { value: drawn }, t.styled(words))] : h("option", { value: drawn }, words);
    }));
    this.#sound = this.#drawn = this.cues = undefined;
    const shape = this.track?.video, wide = aspect(shape);
    // As large as it is shown, a pixel of it on each of the screen's.
    this.size = shape && (abs(shape.rotation ?? 0) % 180 ? [shape.height, shape.height / wide] : [shape.height * wide, shape.height]);
    this.size?.forEach((length, index) => this.style.setProperty(index ? "--tall" : "--wide", `${round(length) / devicePixelRatio}px`));
    this.#seen = new Set();
    this.#played = 0;
    await this.#attach();
    if (this.item !== item) return;
    await this.show(zero);
  }

  async #attach() {
    const { item } = this;
    this.#source?.close();
    this.#source = undefined;
    const source = await playFilm(this.video, item, { duration: this.length, hasVideo: this.hasVideo, shape: this.track?.video, tracks: this.asset.tracks, track: this.#sound, subtitles: this.#drawn, start: max(0, seconds(this.asset.start ?? zero)), rate: this.rate, width: this.clientWidth > 900 ? 960 : 640, isDamaged: this.#isDamaged, waits: () => this.waits, failed: error => this.#stop(error) });
    if (this.item !== item) return source.close();
    this.#source = source;
    this.dataset.mode = source.mode;
    if (source.mode === "none") this.said = t.cannotPlay;
  }

  /// The preview cannot go on: what is here is played, then it rests. Playing and seeking try again.
  #stop(error) {
    this.#trouble = `${error.message.replace(/[.]?$/, ".")} ${t.playAgain}`;
    this.said = this.#trouble;
    if (this.video.readyState < 3) this.video.pause();
  }

  #chooseTrack(track) { this.#sound = track; return this.#again(); }
  /// Goes on at the same place from another source.
  async #again({ isPlaying, position } = this) {
    const { item, video } = this, rate = video.playbackRate;
    video.pause();
    await this.#attach();
    if (this.item !== item) return;
    // Meanwhile a person may have gone elsewhere.
    const at = this.#target ?? this.#frame?.actual ?? zero;
    if (isPlaying) return this.#start(rate, position);
    this.now = seconds(at);
    if (!this.#steps) this.show(at);
  }

  /// Has the chosen track drawn on the picture where that is its way, or where the picture is away; whether that changed anything.
  async #draw() {
    const { value } = this.texts, drawn = value.endsWith("d") || document.pictureInPictureElement === this.video ? parseInt(value) : NaN, track = isNaN(drawn) ? undefined : drawn;
    if (track === this.#drawn) return false;
    this.#drawn = track;
    await this.#again();
    return true;
  }

  #chooseText(track) {
    this.texts.value = track;
    this.cues = track && !track.endsWith("d") && new CueTrack(this.item, track, this.length, { changed: () => this.#say(), failed: error => { this.said = error.message; } });
    this.#say();
    this.#draw();
  }
  /// The next subtitles, or none after the last.
  nextText() {
    const { options, selectedIndex } = this.texts;
    if (options.length) this.#chooseText(options[(selectedIndex + 1) % options.length].value);
  }
  toggleCode() { this.codeBox.click(); }
  /// The part of the picture that is seen where it is larger than the screen, from 0 to 1.
  pan(x, y) { if (this.dataset.aspect !== "one") return; this.at = [x, y].map(part => clamp(part, 0, 1)); this.style.setProperty("--x", this.at[0]); this.style.setProperty("--y", this.at[1]); }
  panBy(x, y) { const [left, top] = this.at ?? [0.5, 0.5]; this.pan(left + x, top + y); }

  /// The film's duration in seconds, and where the browser's video is.
  get length() { return seconds(this.duration); }
  get now() { return this.video.currentTime - this.#offset; }
  set now(s) { this.video.currentTime = s + this.#offset; }
  get #offset() { return this.#source?.offset ?? 0; }
  get isPlaying() { return !this.video.paused && !this.video.ended; }
  /// The frame at rest: its time, duration and number.
  get frame() { return this.#frame; }
  /// The picture at rest, as large as it was asked for.
  picture() { const { item, hasVideo } = this; return this.take(async ({ actual }) => (await api.frame(item.id, hasVideo ? spell(actual) : "0", { width: 1280 })).blob); }
  /// The position in seconds, for drawing.
  get position() {
    if (this.isPlaying || this.#shuttle && !this.#target || !this.#frame && !this.#target) return this.now;
    return clamp(seconds(this.#target ?? this.#frame.actual) + (this.#frame ? this.#steps * seconds(this.#frame.duration) : 0), 0, this.length);
  }

  /// Whether a frame is awaited that a person has asked for: all else has time.
  get waits() { return !this.isPlaying && !!(this.#target || this.#steps); }
  toggle() { this.#shuttle = 0; if (this.isPlaying) this.video.pause(); else this.#start(this.video.defaultPlaybackRate); }
  #start(rate, position) {
    if (!this.video.src) return;
    this.#ahead?.pause();
    const from = this.#target ?? this.#frame?.actual;
    position ??= from && min(seconds(from) + 0.0005, this.length - 0.001);
    this.#wanted = this.#target = undefined;
    this.#steps = 0;
    this.video.playbackRate = rate;
    this.said = this.#trouble = "";
    this.#told = undefined;
    const must = this.#skipped(position ?? this.now);
    if (must !== undefined) { position = must; this.said = t.mustSee; }
    if (position !== undefined) this.now = position;
    this.video.play().catch(error => { if (error.name !== "AbortError") this.said = error.message; this.#resting(); });
  }

  /// Where the first part lies that is not to be skipped and was, by a leap while nothing was played: what was seen of it is left out.
  #skipped(s) {
    const must = this.edits.interstitials.filter(({ play }) => play === "must").map(range => this.edits.at(range)).sort((a, b) => a[0] - b[0]);
    const [from, to] = must.find(([from, to]) => !this.#seen.has(`${from} ${to}`) && from < s - 0.02 && this.#played < min(to, s - 0.3) - 0.02) ?? [];
    return from === undefined ? undefined : min(s, max(from, min(this.#played, to)));
  }

  /// J, K and L: back, rest, on; again is faster.
  shuttle(word) {
    if (word === 0) { this.#shuttle = 0; if (this.isPlaying) this.video.pause(); else this.#resting(); return; }
    if (word > 0) {
      const rate = this.isPlaying && !this.#shuttle ? min(4, this.video.playbackRate * 2) : 1;
      this.#shuttle = 0;
      return this.isPlaying ? void (this.video.playbackRate = rate) : this.#start(rate);
    }
    this.video.pause();
    const isBegun = this.#shuttle < 0;
    this.#shuttle = isBegun ? max(-8, this.#shuttle * 2) : -1;
    if (isBegun) return;
    let last = performance.now(), at = this.position;
    const turn = now => {
      if (!this.#shuttle) return;
      at = max(0, at + this.#shuttle * (now - last) / 1000);
      last = now;
      this.show(near(at));
      this.#way = -1;
      emit(this, "moved");
      if (at === 0) { this.#shuttle = 0; return; }
      requestAnimationFrame(turn);
    };
    requestAnimationFrame(turn);
  }

  /// No frame at rest any more; of sound the cover stays.
  #uncover() { this.still.hidden = !this.hasCover; }
  #playing() {
    this.#uncover();
    this.#label(t.pause, "pause");
    let last = this.now, since = performance.now();
    const turn = now => {
      if (!this.isPlaying) return;
      if (this.video.readyState > 2) since = now;
      // An error of the video leaves nothing of where it was.
      last = this.#passing = this.#played = this.#pass(last);
      if (this.#kept) this.#jump();
      this.#tell(this.#source?.damagedAt, now - since > 700);
      this.#say();
      emit(this, "moved");
      requestAnimationFrame(turn);
    };
    requestAnimationFrame(turn);
  }

  /// Says where the film is damaged, as long as that is seen, or that it is waited for.
  #tell(at, isLate) {
    const words = this.#trouble || (at !== undefined ? t.damaged(clock(at)) : isLate ? t.loading : "");
    if (words !== this.#told) this.said = this.#told = words;
  }

  #label(words, shape) { this.playButton.ariaLabel = this.playButton.title = words; this.playButton.replaceChildren(icon(shape)); }

  /// Interstitials while the film plays: one is skipped, another shown with its name, or not to be skipped the first time.
  #pass(last) {
    const { video } = this, at = this.now;
    let words = "";
    for (const range of this.edits.interstitials) {
      const [from, to] = this.edits.at(range), key = `${from} ${to}`;
      const isIn = at >= from - 0.02 && at < to - 0.02;
      if (range.play === "skip" && isIn) { if (to >= this.length - 0.05) video.pause(); else this.now = to; return to; }
      if (range.play === "must" && !this.#seen.has(key)) {
        // Played to its end it is seen; a leap over it, or on in it, goes back to where it was left.
        if (last < to && at >= to - 0.05 && at - last < 0.5 * max(1, video.playbackRate)) this.#seen.add(key);
        else if (at > last + 0.5 * max(1, video.playbackRate) && last < to && at > from) { this.now = max(from, min(last, to)); this.said = t.mustSee; return this.now; }
        if (isIn && video.playbackRate !== 1) video.playbackRate = 1;
      }
      if (isIn) words = t.interstitial(range.label);
    }
    if (this.tag.textContent !== words) this.tag.textContent = words;
    return at;
  }

  /// Leaves out what is not kept.
  #jump() {
    const at = this.now, spans = this.edits.kept.map(range => this.edits.at(range)).sort((a, b) => a[0] - b[0]);
    if (spans.some(([start, end]) => at >= start - 0.02 && at < end - 0.02)) return;
    const next = spans.find(([start]) => start > at);
    if (next) [this.now] = next;
    else this.video.pause();
  }

  #resting() {
    this.#passing = undefined;
    this.video.playbackRate = this.video.defaultPlaybackRate;
    this.#label(t.play, "play");
    this.tag.textContent = "";
    // Who has asked for a frame meanwhile gets that one.
    const rest = () => { if (!this.isPlaying && !this.#target && !this.#steps) this.show(this.#here); };
    // The frame that is on screen stays: the browser tells which one that is a moment later.
    if (this.hasVideo && this.#shown !== undefined) requestAnimationFrame(() => requestAnimationFrame(rest)); else rest();
  }
  /// The frame that the video shows, where the browser tells it, else where it is; its last frame where it has ended.
  get #here() {
    const { now } = this, isTold = this.hasVideo && this.#shown !== undefined && abs(this.#shown - now) < 0.3;
    return near(clamp(isTold ? this.#shown + 0.001 : now, 0, this.length - 0.001));
  }

  /// Shows the exact frame at a time. Of many wishes only the last is served.
  async show(at) {
    if (compare(at, zero) < 0) at = zero;
    if (!this.hasVideo) {
      this.#frame = { actual: compare(at, this.duration) >= 0 ? this.duration : at, duration: zero };
      this.now = seconds(this.#frame.actual);
      this.#moved();
      return;
    }
    this.#target = at;
    this.#wanted = compare(at, this.duration) >= 0 ? "-1f" : spell(at);
    this.#steps = this.#way = 0;
    this.#moved();
    this.#glimpse();
    await this.#serve();
  }

  /// Clock and playhead are at once where a person wants to be; the frame follows.
  #moved() { this.#say(); emit(this, "moved"); }

  /// The browser's own picture of a place far away, until the exact frame is here.
  #glimpse() {
    const { video } = this;
    if (!this.#target || this.dataset.mode !== "native" || this.isPlaying) { this.#isFar = false; return; }
    video.onseeked = () => this.#glimpse();
    if (video.seeking) return;
    const s = min(seconds(this.#target), this.length - 0.1), far = abs(this.now - s);
    if (far > 0.5) { this.#isFar = true; this.now = s; } else if (this.#isFar && far < 0.01) this.still.hidden = true;
  }

  async #serve() {
    if (this.#busy) return;
    this.#busy = true;
    const item = this.item;
    try {
      while ((this.#wanted || this.#steps) && this.item === item) {
        let at = this.#wanted;
        // The time is not known where it is said in other words.
        let known = at && this.#target && at === spell(this.#target) ? this.#target : undefined;
        this.#wanted = undefined;
        if (!at) {
          const count = stride(this.#steps, this.rate), to = stepped(this.#frame, count, this.rate, this.duration);
          this.#steps = to ? this.#steps - count : 0;
          if (!to) continue;
          at = spell(known = this.#target = to);
        }
        this.#asked = at;
        const width = this.dataset.aspect === "one" ? clamp(round(this.size[0]), 16, 3840) : clamp(round(this.clientWidth * devicePixelRatio), 320, 1920);
        const form = { width, subtitles: this.#drawn }, picture = await this.#ahead.frame(at, known, form, this.#aborter.signal);
        if (this.item !== item) break;
        this.#frame = picture;
        if (this.#wanted === undefined) this.#target = undefined;
        if (this.#wanted === undefined && !this.#steps && !this.isPlaying) await this.#present(picture);
        if (!this.isPlaying && (!this.waits || this.#way)) this.#ahead.look(picture, this.#way, form);
      }
    } catch (error) {
      // The wishes are of another film by now.
      if (this.item === item) {
        if (!this.#wanted) this.#target = undefined;
        this.#steps = 0;
        this.said = this.#trouble || error.message;
        this.#moved();
      }
    } finally { this.#busy = false; }
    // A wish that fails takes no later one along.
    if (this.#wanted) await this.#serve();
  }

  async #present(picture) {
    show(this.still, picture.blob);
    await this.still.decode().catch(() => {});
    this.still.hidden = this.isPlaying || document.pictureInPictureElement === this.video;
    this.said = this.#trouble || (picture.damage ? t.damaged(clock(seconds(picture.actual))) : "");
    if (!this.isPlaying && abs(this.now - seconds(picture.actual)) > 0.001) this.now = seconds(picture.actual) + 0.0005;
    this.#moved();
  }

  #say() {
    const isAwaited = this.waits, frame = this.isPlaying || isAwaited ? undefined : this.#frame, s = this.position;
    this.classList.toggle("waits", isAwaited && this.hasVideo);
    const number = frame ? frame.number : undefined, known = this.#frame;
    const shown = this.isPlaying && abs(this.#shown - s) < 0.3 ? this.#shown : s;
    const passing = number ?? (known?.number === undefined ? undefined : max(0, known.number + floor((shown - seconds(known.actual)) * this.rate + 0.01)));
    const code = timecode(passing, this.rate, this.asset?.timecode), words = this.cues ? this.cues.at(shown) : "";
    if (this.cue.textContent !== words) this.cue.textContent = words;
    this.code.textContent = this.codeBox.checked ? code || clock(shown) : "";
    const chapter = this.chapters?.findLast(one => seconds(one.start) < s + 0.001)?.title ?? "";
    this.readout.replaceChildren(
      h("b", {}, code || clock(s)), " ", h("span", {}, t.seconds(s.toFixed(3))), " ", h("span", {}, number === undefined ? "" : t.frame(number)), " ", h("span.chapter", { title: chapter }, chapter));
    this.readout.dataset.number = number ?? "";
    this.readout.dataset.time = frame ? spell(frame.actual) : "";
  }

  /// Steps some frames.
  step(count) {
    this.#shuttle = 0;
    if (this.isPlaying) { this.video.pause(); this.#wanted = spell(this.#target = this.#here); }
    if (!this.hasVideo) return this.skip(count * 0.01);
    if (!this.#frame) return;
    this.#way = sign(count);
    this.#steps += count;
    this.#moved();
    this.#serve();
  }

  /// Goes some seconds on from where it is, or is about to be.
  skip(s) {
    this.#shuttle = 0;
    this.#trouble = "";
    if (this.isPlaying) { this.now = max(0, this.now + s); return; }
    this.show(near(max(0, this.position + s)));
  }
  /// Goes to a time in seconds, or exactly, and plays on from there if it plays.
  seek(s, at) { this.#shuttle = 0; this.#trouble = ""; if (this.isPlaying) this.now = s + 0.0005; else this.show(at ?? near(s)); }
  /// Goes to a time as it is spelled; trimd knows how people do.
  #find(words) {
    this.place.value = "";
    this.place.blur();
    if (!words) return;
    this.video.pause();
    this.#shuttle = this.#steps = 0;
    if (!this.hasVideo) return void this.attempt(async () => {
      const { item } = this, { range } = await api.waveform(item.id, { start: words, buckets: 1 });
      if (this.item === item) await this.show(range.start);
    });
    const guess = roughly(words, this.rate, this.length);
    this.#target = guess === undefined ? this.#here : near(guess);
    this.#wanted = words;
    this.#moved();
    this.#serve();
  }
  go(at) { this.seek(seconds(at), at); }
  toStart() { this.seek(0); }
  toEnd() { this.video.pause(); this.show(this.duration); }

  /// Sets the in point to the frame, or the out point to its end: it is the last one kept.
  mark(side) { return this.edits?.awaits(side, this.position, () => this.take(this.#setter(side)).catch(error => { this.said = error.message; })); }
  /// Moves a point of the selected range by frames, and shows the frame that it then is.
  nudge(side, count) {
    const { item, edits } = this, set = this.#setter(side), step = this.#stepper();
    return edits.inTurn(async () => {
      const at = seconds(edits.span()[side]) + (side === "end" ? -1e-4 : 1e-4), frame = await step(await this.#ask(item, spell(near(max(0, at)))), count);
      if (this.item === item) this.show(frame.actual);
      await set(frame);
    }).catch(error => { this.said = error.message; });
  }
  /// Sets a point of this film's selected range to a frame, also where another film is shown by then.
  #setter(side) {
    const { edits, duration, snap } = this, snapped = this.#snapper(side);
    return async frame => {
      let at = side === "start" ? frame.actual : add(frame.actual, frame.duration);
      if (compare(at, duration) >= 0) at = duration;
      else if (snap && snap !== "frames") at = await snapped(frame, at);
      edits.setPoint(side, bare(at));
    };
  }

  /// Does something with the frame that is meant now: keys may go on before it is here. One after the other, as they were asked for, and
  /// also where another film is chosen meanwhile.
  take(act) {
    const { item, isPlaying } = this, steps = this.#steps, known = this.hasVideo || !isPlaying ? this.#frame : { actual: this.#here, duration: zero };
    const wish = this.hasVideo && (isPlaying ? spell(this.#here) : this.#wanted ?? (this.#busy ? this.#asked : undefined)), step = this.#stepper();
    if (isPlaying) this.video.pause();
    return this.edits.inTurn(() => {
      if (!wish && !steps && known) return act(known);
      return (async () => {
        const frame = await step(wish ? await this.#ask(item, wish) : known, steps);
        if (!frame) throw new Error(t.noFrame);
        return act(frame);
      })();
    });
  }
  #ask(item, at) { return api.frame(item.id, at, { width: 16 }); }
  /// Goes some frames on from one, in this film.
  #stepper() {
    const { item, rate, duration } = this;
    return async (frame, count) => {
      for (let left = count, to; left && frame && (to = stepped(frame, stride(left, rate), rate, duration)); left -= stride(left, rate)) frame = await this.#ask(item, spell(to));
      return frame;
    };
  }

  /// The point that is meant: of keyframes the one on screen at the frame, of chapters the nearest start.
  #snapper(side) {
    const { item, snap, hasVideo, duration, chapters } = this;
    return async (frame, at) => {
      if (snap === "keyframes" && hasVideo) return (await api.frame(item.id, spell(frame.actual), { width: 16, key: true })).actual;
      const starts = snap === "chapters" ? chapters.map(chapter => chapter.start).concat(side === "end" ? [duration] : [zero]) : [];
      const far = time => abs(seconds(time) - seconds(at));
      return starts.length ? starts.reduce((best, one) => far(one) < far(best) ? one : best) : at;
    };
  }

  async pip() {
    await this.attempt(() => document.pictureInPictureElement ? document.exitPictureInPicture() : this.video.requestPictureInPicture());
  }
  full() { if (document.fullscreenElement) document.exitFullscreen(); else this.requestFullscreen?.(); }
}
customElements.define("trim-player", TrimPlayer);
