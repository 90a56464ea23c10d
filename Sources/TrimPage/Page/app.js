// Joins the parts of the page: the chosen file, its edits, and the keys.
import { api, jobKey } from "/api.js";
import "/elements/asset-library.js";
import { button, dialog, h, on, t } from "/dom.js";
import { Draft } from "/draft.js";
import { EditList } from "/edit-list.js";
import { compareFilms } from "/elements/compare-view.js";
import "/elements/job-queue.js";
import "/elements/metadata-sheet.js";
import "/elements/preset-list.js";
import { bare, seconds } from "/time.js";
import "/elements/trim-player.js";
import "/elements/trim-timeline.js";

const [player, timeline, presets, metadata, jobs, library] =
  ["trim-player", "trim-timeline", "preset-list", "metadata-sheet", "job-queue", "asset-library"].map(name => document.querySelector(name));
const film = document.querySelector("#film"), notice = document.querySelector("#notice"), question = document.querySelector("#question");
const say = words => { notice.textContent = words; };
/// A question in place, with its answers; without words it goes.
const ask = (words, answers = {}) => {
  question.hidden = !words;
  question.replaceChildren(...(words ? [h("p", {}, words), ...Object.entries(answers).map(([label, act]) => button(label, () => { ask(); act(); }))] : []));
};
let edits, draft, shown, opened;
const name = item => { film.textContent = item.name; document.title = `${item.name} – trimd`; };

/// The chapters as they are edited.
const marked = () => { timeline.chapters = player.chapters = metadata.chapters.chapters; timeline.draw(); };
const open = async item => {
  refuse();
  ask();
  name(item);
  film.scrollIntoView({ block: "nearest" });
  say(t.loading);
  document.body.dataset.ready = "";
  shown = item;
  try {
    const begun = new Draft(item), [asset] = await Promise.all([api.probe(item.id), begun.load()]).catch(error => { begun.close(); throw error; });
    if (shown !== item) return begun.close();
    opened = item;
    // A point of the film before may still be set.
    const before = draft;
    if (before) edits.inTurn(() => before.close());
    draft = begun;
    on(draft, "failed", ({ detail }) => say(detail.message));
    const mine = edits = new EditList(item, asset.duration && bare(asset.duration), draft);
    on(mine, "saved", event => { if (edits === mine) savedNow(event.detail); });
    const ready = player.open(item, asset, edits);
    metadata.open(item, asset, player, draft);
    timeline.open(item, asset, edits, player);
    marked();
    presets.open(item, asset, edits, metadata, draft);
    jobs.repeat();
    await Promise.all([ready, readSaved(item, mine)]);
    if (shown !== item) return;
    say(t[player.dataset.mode]);
    document.body.dataset.ready = item.id;
    if (document.body.dataset.plays) { delete document.body.dataset.plays; player.toggle(); }
  } catch (error) {
    if (shown !== item) return;
    say(error.message);
    // The film before is still open, and is what keys and exports act on.
    if (opened) { name(shown = opened); library.mark(opened); document.body.dataset.ready = opened.id; }
    if (error.code === "locked") unlock(item);
  }
};

// Ranges beside the film, and those of an earlier version of it.
const readSaved = async (item, mine) => {
  const earlier = mine.isFresh && mine.earlier;
  if (api.settings.save) {
    try {
      const saved = await api.saved(item.id), known = mine.savedVersion;
      if (!saved.version) mine.saveOver(undefined, !mine.isFresh);
      else if (mine.isFresh) { mine.take(saved, saved.ranges.length); if (saved.notes.length) say(saved.notes.join(" ")); }
      else if (saved.version === known) mine.saveOver(saved.version);
      else ask(t.savedOther(saved.name), { [t.readIt]: () => mine.take(saved), [t.replaceIt]: () => mine.saveOver(saved.version, true) });
      if (saved.version) return;
    } catch (error) { ask(error.message, {}); return; }
  }
  if (earlier) ask(t.earlier, { [t.takeOver]: () => mine.replace(earlier.ranges) });
};
const savedNow = ({ name, error }) => {
  if (!error) return say(t.saved(name));
  const mine = edits, item = shown;
  if (error.code !== "fileAlreadyExists") return say(error.message);
  const again = async act => { try { act(await api.saved(item.id)); } catch (fault) { say(fault.message); } };
  ask(error.message, { [t.readIt]: () => again(saved => mine.take(saved)), [t.replaceIt]: () => again(saved => mine.saveOver(saved.version, true)) });
};

// Restricted files are shown after the PIN.
const lockButton = button(t.lock, async () => { await api.lock().catch(() => {}); location.reload(); }, { hidden: true });
notice.after(lockButton);
const unlock = item => {
  const pin = h("input", { type: "password", inputMode: "numeric", autocomplete: "off", required: true, ariaLabel: t.pin }), state = h("p.message", { role: "alert" });
  const box = dialog(t.restricted(item.name), h("form", { className: "controls", onsubmit: async event => {
    event.preventDefault();
    try {
      await api.unlock(pin.value);
      box.close();
      jobs.listen();
      await load();
      library.choose(item);
    } catch (error) { pin.value = ""; pin.focus(); state.textContent = error.message; }
  } }, h("label", {}, t.pin, pin), h("button.primary", { type: "submit" }, t.unlock)), state);
  pin.focus();
};
const load = async () => {
  const items = await library.load();
  lockButton.hidden = !api.settings.restriction?.open;
  return items;
};

on(player, "moved", () => timeline.draw());
on(player, "finished", () => propose());
on(presets, "planned", event => timeline.showPlan(event.detail));
on(metadata, "change", event => { if (event.target.localName === "chapter-list") marked(); });
on(timeline, "said", event => say(event.detail));
on(library, "chosen", event => { history.replaceState(null, "", `#${event.detail.id}`); open(event.detail); });
/// A film's draft knows of an export that was asked for here: its ranges, and which parts are copied and encoded.
const known = (job, jobs = draft?.get("jobs")) => jobs?.[jobKey(job)];
on(jobs, "completed", () => load().catch(() => {}));
on(jobs, "changed", ({ detail }) => { if (detail.ended) presets.ended(detail.id); if (detail.inputID === shown?.id) timeline.showProgress(detail, known(detail)); });
const outputOf = async job => (await load()).find(one => one.id === job.outputID);
on(jobs, "show", async ({ detail }) => { const item = await outputOf(detail).catch(() => {}); if (item) library.choose(item); else say(t.vanished(detail.output.split("/").pop())); });
on(jobs, "compare", async ({ detail }) => {
  try {
    const result = await outputOf(detail), source = library.items.find(one => one.id === detail.inputID);
    if (!result || !source) return say(t.vanished((result ? detail.input : detail.output).split("/").pop()));
    await compareFilms(detail, source, result, known(detail, (await api.draft(source.id)).draft?.jobs));
  } catch (error) { say(error.message); }
});
// A file came, went or changed: what is shown may be another one's.
on(jobs, "files", async () => {
  const before = shown, items = await load().catch(() => undefined), now = items?.find(one => one.id === before?.id);
  if (!items || !before || shown !== before) return;
  if (!now) say(t.vanished(before.name));
  else if (now.version !== before.version) ask(t.changed, { [t.openAnew]: () => library.choose(now) });
});

// At the end of a film the next one is proposed: it begins after some seconds, unless it is refused.
let proposal;
const refuse = () => { clearInterval(proposal?.timer); proposal?.element.remove(); proposal = undefined; };
const propose = () => {
  const next = library.after();
  if (!next || proposal) return;
  let left = 10;
  const words = h("p", { role: "status" });
  const tell = () => { words.textContent = t.upNext(next.name, left); };
  const go = () => { refuse(); document.body.dataset.plays = "1"; library.choose(next); };
  proposal = { element: h("div.proposal", {}, words, button(t.playNow, go), button(t.stay, refuse)), timer: setInterval(() => { left--; if (left) tell(); else go(); }, 1000) };
  tell();
  player.screen.after(proposal.element);
};

const keys = {
  " ": () => player.toggle(), ",": () => player.step(-1), ".": () => player.step(1), j: () => player.shuttle(-1), k: () => player.shuttle(0),
  l: () => player.shuttle(1), i: () => player.mark("start"), o: () => player.mark("end"), ArrowLeft: () => player.skip(-1),
  ArrowRight: () => player.skip(1), Home: () => player.toStart(), End: () => player.toEnd(), PageUp: () => library.turn(-1),
  PageDown: () => library.turn(1), ChannelUp: () => library.turn(-1), ChannelDown: () => library.turn(1), f: () => player.full(), g: () => player.place.focus(),
  c: () => player.nextText(), t: () => player.toggleCode(),
  "+": () => timeline.zoom(0.5), "-": () => timeline.zoom(2), e: () => presets.export(),
  n: () => timeline.addRange(), "[": () => edits.inTurn(() => player.go(edits.span().start)), "]": () => edits.inTurn(() => player.seek(Math.max(0, seconds(edits.span().end) - 1e-4))),
};
// After a click on a button or a choice, keys mean the player again; who came there by keys uses it by keys.
let isByPointer = false;
for (const word of ["pointerdown", "keydown"]) on(document, word, () => { isByPointer = word === "pointerdown"; }, { capture: true });
const controls = "button, summary, select, input[type=radio], input[type=checkbox], input[type=range]";
for (const word of ["click", "change"]) on(document, word, ({ target }) => {
  const control = target.closest?.(controls);
  if (isByPointer && control && !control.closest("dialog") && (word === "change" || control.localName !== "select")) control.blur();
});
on(document, "keydown", event => {
  const { target } = event;
  if (event.key === "Escape" && target.matches("input, textarea, select") && !target.closest("dialog")) {
    if (target.matches(".place")) target.value = "";
    return target.blur();
  }
  if (event.isComposing || target.matches("input[type=text], input[type=password], textarea") || target.closest("dialog") || !edits) return;
  if (event.ctrlKey || event.metaKey) {
    if (event.key.toLowerCase() !== "z" && event.key.toLowerCase() !== "y") return;
    event.preventDefault();
    return event.shiftKey || event.key.toLowerCase() === "y" ? edits.inTurn(() => edits.redo()) : edits.inTurn(() => edits.undo());
  }
  if (event.altKey) return;
  const pan = event.shiftKey && { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] }[event.key];
  if (pan && player.dataset.aspect === "one") { event.preventDefault(); return player.panBy(...pan); }
  if (target.matches("button, summary, input") && [" ", "Enter"].includes(event.key)) return;
  if (target.matches("input, select") && /^(Arrow|Home|End|Page)/.test(event.key)) return;
  if (target.matches("select") && event.key === "Enter") return;
  const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (event.key === "Escape") refuse();
  if (!act) return;
  event.preventDefault();
  refuse();
  act();
});

try {
  const items = await load();
  // The address remembers the file, over a reload.
  if (items.length) library.choose(items.find(item => item.id === location.hash.slice(1)) ?? items[0]);
} catch (error) { say(error.message); }
