// The frames of a film at rest, and those beside it. A frame costs the decoding of all since its keyframe, so one decode makes some dozen
// before a person steps to them: then a step costs none.
import { api } from "/api.js";
import { add, before, compare, near, seconds, spell, zero } from "/time.js";

const { max } = Math;
/// How many are made at once, and how many where one alone takes longer than a second.
const usual = 16, most = 48;
/// The rate that is taken where it varies, to know about how far some frames reach.
const assumed = 24;

/// The time of the frame n frames on: in its middle where it is not the next, since containers round times.
const beside = ({ actual, duration }, n, rate) =>
  n === -1 ? before(actual) : n === 1 ? add(actual, duration) : near(max(0, seconds(actual) + (n + 0.5) / (rate || assumed)));

export class FramesAhead {
  #runs = []; #timer; #isSlow = false;

  /// Of a film with a rate, NaN where it varies, and a duration.
  constructor(item, rate, duration) { Object.assign(this, { item, rate, duration }); }

  /// The frame at a time in words, of a width and with subtitles; `at` is that time where it is known.
  async frame(words, at, form, signal) {
    clearTimeout(this.#timer);
    for (const run of at ? this.#of(form) : []) {
      if (!this.#reaches(run, at)) continue;
      const found = (await run.pictures).find(({ actual, duration }) => compare(actual, at) <= 0 && compare(at, add(actual, duration)) < 0);
      if (found) return found;
    }
    this.pause();
    const since = performance.now(), frame = await api.frame(this.item.id, words, { ...form, signal });
    this.#isSlow = performance.now() - since > 1000;
    return frame;
  }

  /// Has the frames made that steps from this one go to: at once in the direction of the last step, 1 or -1; where there was none, on both
  /// sides, after a moment at rest.
  look(frame, way, form) {
    clearTimeout(this.#timer);
    const isHere = n => {
      const at = beside(frame, n, this.rate);
      return !this.#isInside(at) || this.#of(form).some(run => this.#reaches(run, at));
    };
    if (way ? isHere(way) && isHere(4 * way) : isHere(1) && isHere(-1)) return;
    const count = this.#isSlow ? most : usual, first = way > 0 ? 1 : way < 0 ? -count : -count / 4;
    this.#timer = setTimeout(() => this.#make(frame, first, first + count, form), way ? 0 : 400);
  }

  /// Makes no more; something else is waited for.
  pause() {
    clearTimeout(this.#timer);
    for (const { isMade, aborter } of this.#runs) if (!isMade) aborter.abort();
    this.#runs = this.#runs.filter(({ isMade }) => isMade);
  }

  #of({ width, subtitles }) { return this.#runs.filter(({ form }) => form.width === width && form.subtitles === subtitles); }
  #reaches({ from, to }, at) { return compare(from, at) <= 0 && compare(at, to) <= 0; }
  #isInside(at) { return compare(at, zero) > 0 && compare(at, this.duration) < 0; }

  #make(frame, first, end, form) {
    const { rate } = this, times = [];
    for (let n = first; n < end; n++) {
      const at = beside(frame, n, rate);
      // Where the rate varies a frame is known by its number.
      if (n && this.#isInside(at) && (rate || frame.number + n >= 0)) times.push(rate ? spell(at) : `${frame.number + n}f`);
    }
    if (!times.length) return;
    const aborter = new AbortController(), run = { form, aborter, from: beside(frame, first, rate), to: beside(frame, end - 1, rate) };
    const drop = () => { this.#runs = this.#runs.filter(one => one !== run); return []; };
    run.pictures = api.thumbnails(this.item.id, times, { ...form, signal: aborter.signal }).then(pictures => {
      const { actual, duration } = pictures.at(-1);
      Object.assign(run, { isMade: true, from: pictures[0].actual, to: add(actual, duration) });
      return pictures;
    }).catch(drop);
    this.#runs = [...this.#runs, run].slice(-3);
  }
}
