// The ranges of one film, with undo and redo; kept in the browser by the film's identity. Exact times only.
import { compare } from "/time.js";

export class EditList extends EventTarget {
  #key; #past = []; #future = []; #state;

  constructor(item, duration) {
    super();
    this.#key = `edit:${item.id}:${item.version}`;
    this.duration = duration;
    this.#state = this.#stored() ?? { ranges: [{ label: "" }], selected: 0 };
  }

  #stored() {
    try {
      const state = JSON.parse(localStorage.getItem(this.#key));
      return state?.ranges?.length ? state : undefined;
    } catch { return undefined; }
  }

  get ranges() { return this.#state.ranges; }
  get selected() { return Math.min(this.#state.selected, this.ranges.length - 1); }
  get current() { return this.ranges[this.selected]; }
  get canUndo() { return this.#past.length > 0; }
  get canRedo() { return this.#future.length > 0; }
  /// The start and end of a range: without a point it reaches to the film's.
  span(range = this.current) { return { start: range.start ?? { value: 0, timescale: 1 }, end: range.end ?? this.duration }; }

  change(body, isNew = true) {
    const next = structuredClone(this.#state);
    body(next);
    if (JSON.stringify(next) === JSON.stringify(this.#state)) return;
    if (isNew) { this.#past.push(this.#state); this.#future = []; if (this.#past.length > 500) this.#past.shift(); }
    this.#set(next);
  }

  #set(state) {
    this.#state = state;
    try { localStorage.setItem(this.#key, JSON.stringify(state)); } catch { /* Kept in this tab at least. */ }
    this.dispatchEvent(new Event("change"));
  }

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
  add(start) { this.change(state => { state.ranges.splice(this.selected + 1, 0, { start, label: "" }); state.selected = this.selected + 1; }); }
  remove() {
    this.change(state => {
      state.ranges.splice(this.selected, 1);
      if (!state.ranges.length) state.ranges.push({ label: "" });
      state.selected = Math.max(0, this.selected - 1);
    });
  }

  /// The ranges as an export takes them.
  get request() {
    const bare = ({ start, end }) => ({ ...(start && { start }), ...(end && { end }) });
    return this.ranges.length > 1 ? { keep: this.ranges.map(range => bare(this.span(range))) } : bare(this.current);
  }
}
