// The text of a subtitle track, fetched by the minute as the film is played. trimd reads it; nothing of it becomes markup.
import { api } from "/api.js";
import { seconds } from "/time.js";

export class CueTrack {
  #minutes = new Map();

  constructor(item, track, length, { changed, failed }) { Object.assign(this, { item, track, length, changed, failed }); }

  /// The text on screen at a time in seconds. The minute around it is fetched, and the next one towards its end.
  at(s) {
    this.#fetch(Math.floor(s / 60));
    this.#fetch(Math.floor((s + 20) / 60));
    return (this.#minutes.get(Math.floor(s / 60)) ?? []).filter(cue => cue.start <= s && s < cue.end).map(cue => cue.text).join("\n");
  }

  async #fetch(minute) {
    const start = minute * 60;
    if (this.#minutes.has(minute) || start >= this.length) return;
    const found = [];
    this.#minutes.set(minute, found);
    try {
      for (let from = start; from < Math.min(start + 60, this.length);) {
        const { cues, range } = await api.cues(this.item.id, { track: this.track, start: from, end: start + 60 });
        found.push(...cues.filter(cue => from === start || seconds(cue.start) >= from).map(({ start, end, text }) => ({ start: seconds(start), end: seconds(end), text })));
        from = Math.max(seconds(range.end), from + 0.001);
      }
      this.changed();
    } catch (error) {
      this.failed(error);
      setTimeout(() => this.#minutes.delete(minute), 5000);
    }
  }
}
