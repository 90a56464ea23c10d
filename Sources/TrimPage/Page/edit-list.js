// The ranges of one film, with undo and redo; kept in the film's draft, and beside the film where the page was started so.
// Exact times only. A range is kept, or an interstitial: marked, and skipped, shown or not to be skipped where the film is played.
import { api } from "/api.js";
import { emit, on, t } from "/dom.js";
import { bare, compare, seconds, zero } from "/time.js";

export class EditList extends EventTarget {
  #draft; #item; #past = []; #future = []; #state; #timer; #saved; #turn;
  /// Points that wait for their frame, in seconds by their sides: for drawing only.
  awaited = {};

  constructor(item, duration, draft) {
    super();
    this.#item = item;
    this.#draft = draft;
    this.duration = duration;
    const stored = draft.get("edits");
    this.isFresh = !stored?.ranges?.length;
    this.#state = this.isFresh ? { ranges: [{ label: "" }], selected: 0 } : stored;
    on(draft, "edits", ({ detail }) => { if (detail?.ranges?.length) { this.#past.push(this.#state); this.#state = detail; this.#changed(); } });
  }

  /// The version of the ranges beside the film that these are; nothing where there is none.
  get savedVersion() { return this.#draft.get("saved"); }
  /// The ranges of an earlier version of this file; nothing where there is none.
  get earlier() {
    const state = this.#draft.earlier?.edits;
    return state?.ranges?.some(range => range.start || range.end) ? state : undefined;
  }

  /// Does something with the ranges behind all that was asked for before, as a point may still wait for its frame; at once where nothing
  /// waits. It is given the fault of those before, where one failed.
  inTurn(act) {
    const before = this.#turn, made = before ? before.then(act) : (async () => act())();
    const turn = this.#turn = Promise.all([before, made.then(() => undefined, fault => fault)]).then(([old, fault]) => {
      if (this.#turn === turn) this.#turn = undefined;
      return fault ?? old;
    });
    return made;
  }
  /// Reads something of the ranges once every point that was asked for is set; where one is not, that is the answer.
  settled(read) { return this.inTurn(fault => { if (fault) throw fault; return read(); }); }
  /// Draws a point where it is about to be, until it is set.
  async awaits(side, s, set) {
    this.awaited[side] = s;
    emit(this, "awaited");
    try { return await set(); } finally {
      if (this.awaited[side] === s) delete this.awaited[side];
      emit(this, "awaited");
    }
  }

  get ranges() { return this.#state.ranges; }
  get selected() { return Math.min(this.#state.selected, this.ranges.length - 1); }
  get current() { return this.ranges[this.selected]; }
  get canUndo() { return this.#past.length > 0; }
  get canRedo() { return this.#future.length > 0; }
  /// What is kept, in the order of the list: the ranges of that kind, or all, without those that are removed.
  get kept() { return this.keptOf(this.ranges); }
  keptOf(ranges) {
    const kept = ranges.filter(range => !range.play), removed = ranges.filter(range => range.play === "remove").map(range => this.span(range));
    return removed.reduce((parts, out) => parts.flatMap(part => {
      const { start, end } = this.span(part);
      return [{ ...part, start, end: earlier(end, out.start) }, { ...part, start: earlier(out.end, start) === start ? out.end : start, end }].filter(one => compare(one.start, one.end) < 0);
    }), kept.length ? kept : [{}]);
  }
  get interstitials() { return this.ranges.filter(({ play }) => play && play !== "remove"); }
  /// The start and end of a range: without a point it reaches to the film's.
  span(range = this.current) { return { start: range.start ?? zero, end: range.end ?? this.duration }; }

  /// The same in seconds, for drawing and playing.
  at(range) { const { start, end } = this.span(range); return [seconds(start), seconds(end)]; }

  change(body, isNew = true) {
    const next = structuredClone(this.#state);
    body(next);
    if (JSON.stringify(next) === JSON.stringify(this.#state)) return;
    if (isNew) { this.#past.push(this.#state); this.#future = []; if (this.#past.length > 500) this.#past.shift(); }
    this.#set(next);
  }

  #set(state) {
    this.#state = state;
    this.#draft.set("edits", state);
    this.#changed();
    if (this.#saved) { clearTimeout(this.#timer); this.#timer = setTimeout(() => this.save(), 600); }
  }
  #changed() { emit(this, "change"); }

  undo() { if (this.canUndo) { this.#future.push(this.#state); this.#set(this.#past.pop()); } }
  redo() { if (this.canRedo) { this.#past.push(this.#state); this.#set(this.#future.pop()); } }

  /// Sets a point of the selected range; one that passes the other takes it along.
  setPoint(side, at) {
    this.change(state => {
      const range = state.ranges[this.selected], { start, end } = this.span(range);
      if (side === "start") { range.start = at; if (compare(at, end) >= 0) delete range.end; }
      else { range.end = at; if (compare(start, at) >= 0) delete range.start; }
    });
  }

  select(index) { this.change(state => { state.selected = (index + state.ranges.length) % state.ranges.length; }, false); }
  /// Adds a range behind the selected one. The one that every film begins with, all of it, gives way to the first of a person's own.
  add(start) {
    this.change(state => {
      const [first, ...others] = state.ranges, at = others.length || first.start || first.end || first.label || first.play ? this.selected + 1 : 0;
      state.ranges.splice(at, at ? 0 : 1, { start, label: "" });
      state.selected = at;
    });
  }
  remove() {
    this.change(state => {
      state.ranges.splice(this.selected, 1);
      if (!state.ranges.length) state.ranges.push({ label: "" });
      state.selected = Math.max(0, this.selected - 1);
    });
  }

  /// Takes ranges of a list, or of an earlier version.
  replace(ranges) {
    this.change(state => {
      state.ranges = ranges.map(({ start, end, label = "", tags, play = tags?.interstitial }) => ({ ...(start && { start }), ...(end && { end }), label, ...(play && { play }) }));
      state.selected = 0;
    });
  }

  /// The ranges as a list of a format takes them: of other formats than LosslessCut's none tells their kinds, and what is kept is listed.
  listed(format) { return (format === "llc" ? this.ranges : this.kept).map(({ start, end, label, play }) => ({ start: spelled(start), end: spelled(end), label, ...(play && { tags: { interstitial: play } }) })); }

  /// The ranges as an export takes them.
  get request() {
    const bare = ({ start, end }) => ({ ...(start && { start: spelled(start) }), ...(end && { end: spelled(end) }) });
    const { kept } = this;
    if (!kept.length) throw new Error(t.nothingKept);
    return kept.length === 1 ? bare(kept[0]) : { keep: kept.map(range => bare(this.span(range))) };
  }

  /// Takes the ranges that are saved beside the film, or only their version, and saves over it from now on.
  take({ ranges, version }, isRead = true) { if (isRead) this.replace(ranges); this.saveOver(version); }

  /// From now on ranges are saved beside the film too: in the place of this version, or of none.
  saveOver(version, isNow = false) {
    this.#saved = { version };
    this.#remember(version);
    if (isNow) this.save();
  }
  #remember(version) { if (version !== this.savedVersion) this.#draft.set("saved", version); }

  async save() {
    clearTimeout(this.#timer);
    const target = this.#saved;
    // One after the other: each replaces the version that the last one left.
    if (target.busy) { target.again = true; return; }
    target.busy = true;
    try {
      // Another tab may have saved since.
      const known = this.savedVersion, { name, version } = await api.save(this.#item.id, this.listed(api.settings.save), target.version && (known ?? target.version));
      target.version = version;
      this.#remember(version);
      emit(this, "saved", { name });
    } catch (error) { emit(this, "saved", { error }); }
    target.busy = false;
    if (target.again) { target.again = false; this.save(); }
  }
}

const earlier = (a, b) => compare(a, b) < 0 ? a : b;
/// Microseconds come from decimals of lists: as decimals they mean the frame nearby.
const spelled = at => at && (at.timescale === 1_000_000 ? `${Math.floor(at.value / 1e6)}.${String(at.value % 1e6).padStart(6, "0")}` : bare(at));
