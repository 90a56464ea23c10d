// A preview of segments through Media Source Extensions: fetches what is about to be played, in order, and drops what was played long ago.
// Where the film is damaged it plays on, and knows where that is.
import { api, damage } from "/api.js";
import { on } from "/dom.js";
import { aspect, near, seconds, spell, time } from "/time.js";

const { abs, floor, max, min, round } = Math;

// Segments lie on a grid of 4 s, which the cache finds again. The first one after a seek is short, so that it comes soon, and each of the
// next up to twice as long as the one before. All are of halves of seconds, which are exact.
const length = 4, short = 0.5, ahead = 16, behind = 60;

const types = { mp4: "video/mp4", m4v: "video/mp4", mov: "video/mp4", webm: "video/webm", mkv: "video/x-matroska", m4a: "audio/mp4", m4b: "audio/mp4", mp3: "audio/mpeg", wav: "audio/wav", flac: "audio/flac", ogg: "audio/ogg", oga: "audio/ogg", opus: "audio/ogg" };

// Sound that browsers may decode, by FFmpeg's names: of other sound they play the pictures alone, and say nothing.
const sounds = { aac: 'mp4; codecs="mp4a.40.2"', mp3: "mpeg", ac3: 'mp4; codecs="ac-3"', eac3: 'mp4; codecs="ec-3"', opus: 'webm; codecs="opus"', vorbis: 'webm; codecs="vorbis"', flac: "flac",
  alac: 'mp4; codecs="alac"', pcm_u8: "wav", pcm_s16le: "wav", pcm_s24le: "wav", pcm_f32le: "wav" };

class PreviewSource {
  mode = "segments"; offset = 0; #media = new MediaSource(); #buffer; #aborter; #next; #ended = false; #closed = false; #running = false; #most = short; #damage = [];

  constructor(video, item, { duration, width, track, subtitles, failed, waits = () => false }) {
    Object.assign(this, { video, item, duration, width, track, subtitles, failed, waits });
    this.url = URL.createObjectURL(this.#media);
    video.src = this.url;
    on(this.#media, "sourceopen", () => this.#seek(), { once: true });
    this.onseek = () => this.#seek();
    this.ontime = () => { this.#pass(); this.#fill(); };
    on(video, "seeking", this.onseek);
    for (const word of ["timeupdate", "waiting"]) on(video, word, this.ontime);
  }

  static get isPossible() { return "MediaSource" in globalThis && MediaSource.isTypeSupported('video/mp4; codecs="avc1.64001f,mp4a.40.2"'); }

  close() {
    this.#closed = true;
    this.#aborter?.abort();
    this.video.removeEventListener("seeking", this.onseek);
    for (const word of ["timeupdate", "waiting"]) this.video.removeEventListener(word, this.ontime);
    URL.revokeObjectURL(this.url);
  }

  /// The end of what is buffered from a time on; nothing where it is not.
  #bufferedEnd(at) {
    const ranges = this.video.buffered;
    for (let i = 0; i < ranges.length; i++) if (ranges.start(i) <= at + 0.1 && ranges.end(i) > at) return ranges.end(i);
  }

  #seek() {
    const at = this.video.currentTime, end = this.#bufferedEnd(at);
    // A picture's end is a little before the segment's, of sound: the next one begins at half a second.
    const next = end === undefined ? floor(at / short + 0.001) * short : round(min(end, this.duration) / short) * short;
    if (end === undefined) this.#most = short;
    if (next !== this.#next) { this.#aborter?.abort(); this.#next = next; }
    this.#ended = end !== undefined && end >= this.duration - 0.05;
    this.#fill();
  }

  async #fill() {
    if (this.#running) return;
    this.#running = true;
    try {
      while (!this.#closed && !this.#ended && this.#next < this.video.currentTime + ahead && this.#next < this.duration) {
        // A frame that a person waits for comes first.
        while (this.waits() && !this.#closed) await new Promise(resolve => setTimeout(resolve, 50));
        try { await this.#load(this.#next); } catch (error) {
          if (!/^(undecodableMediaData|decodeFailed)$/.test(error.code)) throw error;
          this.#leaveOut(this.#next);
        }
        this.#pass();
      }
    } catch (error) {
      this.#running = false;
      if (error.name === "AbortError") return this.#fill();
      // A seek, as each start of playing is one, tries again.
      this.#ended = true;
      return this.failed(error);
    }
    this.#running = false;
  }

  /// Nothing decodes there: first less is asked for, then the least is left out.
  #leaveOut(start) {
    if (this.#lengthAt(start) > short) { this.#most = short; return; }
    const end = this.#next = start + short, last = this.#damage.at(-1);
    // Browsers rest some tenths before a gap.
    if (last?.end === start) last.end = last.to = end;
    else this.#damage.push({ from: start - 0.5, to: end, end, at: start });
    if (end >= this.duration) this.#finish();
  }

  /// What is damaged at a time, or was until shortly before: long enough to read of it.
  #damageAt(s) { return this.#damage.findLast(({ from, to }) => from <= s && s < to + 3); }
  /// When the damage begins that is played; nothing elsewhere.
  get damagedAt() { return this.#damageAt(this.video.currentTime)?.at; }

  /// Plays on behind what is left out.
  #pass() {
    const at = this.video.currentTime, end = this.#damageAt(at)?.end;
    if (at < end && this.video.readyState < 3 && this.#bufferedEnd(end)) this.video.currentTime = end;
  }

  #lengthAt(start) { return min(this.#most, length - start % length); }

  #finish() {
    this.#ended = true;
    if (this.#media.readyState === "open") this.#media.endOfStream();
  }

  async #load(start) {
    this.#aborter = new AbortController();
    const duration = this.#lengthAt(start);
    const { report, bytes } = await api.segment(
      this.item.id, { start: spell(time(start * 2, 2)), duration, width: this.width, track: this.track, subtitles: this.subtitles }, this.#aborter.signal);
    if (this.#closed || this.#next !== start) return;
    if (!this.#buffer) {
      this.#buffer = this.#media.addSourceBuffer(report.mime);
      this.#media.duration = this.duration;
    }
    await this.#done(() => this.#buffer.appendBuffer(bytes));
    if (this.#next === start) { this.#next = start + duration; this.#most = min(length, duration * 2); }
    const fault = damage(report), at = fault?.time ? seconds(fault.time) : start;
    // Where it began earlier, its traces are seen here.
    if (fault) this.#damage.push({ from: max(start, at - 0.3), to: max(start, at), at });
    if (report.last && this.#next >= this.duration) this.#finish();
    const old = this.video.currentTime - behind;
    if (old > 0 && this.video.buffered.length && this.video.buffered.start(0) < old - length) await this.#done(() => this.#buffer.remove(0, old));
  }

  #done(act) {
    return new Promise((resolve, reject) => {
      on(this.#buffer, "updateend", resolve, { once: true });
      on(this.#buffer, "error", () => reject(new Error("the preview does not decode")), { once: true });
      act();
    });
  }
}

/// Whether a track is one of moving pictures: a cover is none.
export const isFilm = track => track.kind === "video" && !track.dispositions?.includes("attached_pic");

/// Whether a track's pictures have a high dynamic range: browsers map its tones as they like, and frames at rest are trimd's.
const isHDR = track => track.video?.color?.dynamicRange;

/// Lets a video element play a film: the file's own bytes where the browser can, else the preview, as for a chosen track of sound, or with subtitles on the picture.
export const playFilm = async (video, item, words) => {
  const nothing = mode => { video.removeAttribute("src"); video.load(); return { mode, offset: 0, close() {} }; };
  if (words.tracks.some(track => track.isProtected)) return nothing("encrypted");
  if (!words.isDamaged && words.track === undefined && words.subtitles === undefined && !words.tracks.some(isHDR)) {
    const offset = await playsNatively(video, item, words);
    if (offset !== undefined) return { mode: "native", offset, close() {} };
  }
  if (!PreviewSource.isPossible) return nothing("none");
  return new PreviewSource(video, item, words);
};

// Whether two pictures are the same: the mean difference of their pixels' brightness, and of their colours, from 0 to 255.
const [wide, tall] = [48, 27];
const pixels = image => {
  const pen = new OffscreenCanvas(wide, tall).getContext("2d", { willReadFrequently: true });
  pen.drawImage(image, 0, 0, wide, tall);
  return pen.getImageData(0, 0, wide, tall).data;
};
const difference = (one, other) => one.reduce((sum, value, index) => sum + (index % 4 === 3 ? 0 : abs(value - other[index])), 0) / (wide * tall * 3);
// The most that a picture's colours differ where they are meant to be the same: scaling and JPEG count for less.
const likeness = 12;

/// Which time of the browser's is the film's beginning: it may count from the file's own zero, and leave out edits. Frames of both are
/// compared at two places; nothing: the browser shows others than trimd, or other colours.
const offsetOf = async (url, item, { duration, start, rate }) => {
  const video = document.createElement("video"), step = 1 / (rate || 25);
  const arrive = word => new Promise((resolve, reject) => {
    const timer = setTimeout(reject, 8000);
    video.onerror = reject;
    on(video, word, () => { clearTimeout(timer); resolve(); }, { once: true });
  });
  try {
    Object.assign(video, { muted: true, preload: "auto", src: url });
    await arrive("loadeddata");
    let offsets = start ? [0, start] : [0];
    for (const part of [0.3, 0.6]) {
      // In the middle of a frame, where both know which one is meant.
      const [middle] = await api.thumbnails(item.id, [spell(near(duration * part))], { width: wide * 2 }), at = seconds(middle.actual) + seconds(middle.duration) / 2;
      const others = [-3, -2, -1, 1, 2, 3].map(count => at + count * step).filter(s => s > 0 && s < duration);
      const shown = await api.thumbnails(item.id, [at, ...others].map(s => spell(near(s))), { width: wide * 2 });
      const right = await Promise.all(shown.map(async ({ blob }) => pixels(await createImageBitmap(blob)))), fits = [];
      for (const offset of offsets) {
        const come = arrive("seeked");
        video.currentTime = at + offset;
        await come;
        const seen = pixels(video), [own, ...apart] = right.map(one => difference(one, seen));
        if (own < likeness && own <= min(...apart, Infinity) + 0.2) fits.push(offset);
      }
      offsets = fits;
    }
    return offsets.at(-1);
  } catch { return undefined; } finally { video.removeAttribute("src"); video.load(); }
};

const playsNatively = async (video, item, { duration, hasVideo, shape, tracks, start, rate }) => {
  const type = types[item.name.split(".").pop().toLowerCase()];
  if (!type || !video.canPlayType(type) || shape?.isMirrored) return undefined;
  const heard = tracks.filter(track => track.kind === "audio"), { codec } = heard.find(track => track.dispositions?.includes("default")) ?? heard[0] ?? {};
  if (codec && !(sounds[codec] && video.canPlayType(`audio/${sounds[codec]}`))) return undefined;
  const url = await api.file(item.id).catch(() => undefined);
  const works = url && await new Promise(resolve => {
    const end = works => { clearTimeout(timer); video.onloadeddata = video.onerror = null; resolve(works); };
    // A browser that leaves out the pixels' shape or the rotation gets the preview.
    const isRight = () => video.videoWidth > 0 && (!shape || abs(video.videoWidth / video.videoHeight / aspect(shape) - 1) < 0.03);
    const timer = setTimeout(() => end(false), 8000);
    video.onloadeddata = () => end((!hasVideo || isRight()) && abs(video.duration - duration) < 0.5 + start);
    video.onerror = () => end(false);
    video.src = url;
  });
  // Of sound alone there is no frame: what its duration counts tells where it begins.
  if (!works) return undefined;
  if (!hasVideo) return start && abs(video.duration - duration - start) < abs(video.duration - duration) ? start : 0;
  return offsetOf(url, item, { duration, start, rate });
};
