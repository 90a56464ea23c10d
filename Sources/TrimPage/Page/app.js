// Joins the parts of the page: the chosen file, its edits, and the keys.
import { api } from "/api.js";
import "/elements/asset-library.js";
import { EditList } from "/edit-list.js";
import { button, h } from "/dom.js";
import "/elements/job-queue.js";
import "/elements/metadata-sheet.js";
import "/elements/preset-list.js";
import { t } from "/strings.js";
import { seconds } from "/time.js";
import "/elements/trim-player.js";
import "/elements/trim-timeline.js";

const [player, timeline, presets, metadata, jobs, library] =
  ["trim-player", "trim-timeline", "preset-list", "metadata-sheet", "job-queue", "asset-library"].map(name => document.querySelector(name));
const film = document.querySelector("#film"), notice = document.querySelector("#notice");
const say = words => { notice.textContent = words; };
let edits;

const open = async item => {
  refuse();
  film.textContent = item.name;
  document.title = `${item.name} – trimd`;
  say(t.loading);
  document.body.dataset.ready = "";
  try {
    const asset = await api.probe(item.id);
    edits = new EditList(item, asset.duration && { value: asset.duration.value, timescale: asset.duration.timescale });
    metadata.open(asset);
    const shown = player.open(item, asset, edits);
    timeline.open(item, asset, edits, player);
    presets.open(item, edits, metadata);
    await shown;
    say(player.dataset.mode === "native" ? t.native : t.segments);
    document.body.dataset.ready = item.id;
    if (document.body.dataset.plays) { delete document.body.dataset.plays; player.toggle(); }
  } catch (error) { say(error.message || t.gone); }
};

player.addEventListener("moved", () => timeline.draw());
player.addEventListener("finished", () => propose());
library.addEventListener("chosen", event => { history.replaceState(null, "", `#${event.detail.id}`); open(event.detail); });
jobs.addEventListener("completed", () => library.load().catch(() => {}));
jobs.addEventListener("show", async event => {
  const name = event.detail.output.split("/").pop();
  const item = (await library.load()).find(one => one.name === name);
  if (item) library.choose(item);
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
  proposal = { element: h("div", { className: "proposal" }, words, button(t.playNow, go), button(t.stay, refuse)), timer: setInterval(() => { left--; if (left) tell(); else go(); }, 1000) };
  tell();
  player.querySelector(".screen").after(proposal.element);
};

const keys = {
  " ": () => player.toggle(), ",": () => player.step(-1), ".": () => player.step(1), j: () => player.shuttle(-1), k: () => player.shuttle(0),
  l: () => player.shuttle(1), i: () => player.mark("start"), o: () => player.mark("end"), ArrowLeft: () => player.skip(-1),
  ArrowRight: () => player.skip(1), Home: () => player.toStart(), End: () => player.toEnd(), PageUp: () => library.turn(-1),
  PageDown: () => library.turn(1), f: () => player.full(), "+": () => timeline.zoom(0.5), "-": () => timeline.zoom(2), e: () => presets.export(),
  n: () => timeline.addRange(), "[": () => player.show(edits.span().start), "]": () => player.seek(Math.max(0, seconds(edits.span().end) - 1e-4)),
};
document.addEventListener("keydown", event => {
  const { target } = event;
  if (event.isComposing || target.matches("input[type=text], textarea, select") || !edits) return;
  if (event.ctrlKey || event.metaKey) {
    if (event.key.toLowerCase() !== "z" && event.key.toLowerCase() !== "y") return;
    event.preventDefault();
    return event.shiftKey || event.key.toLowerCase() === "y" ? edits.redo() : edits.undo();
  }
  if (event.altKey) return;
  if (target.matches("button, summary, input") && [" ", "Enter"].includes(event.key)) return;
  if (target.matches("input") && event.key.startsWith("Arrow")) return;
  const act = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (event.key === "Escape") refuse();
  if (!act) return;
  event.preventDefault();
  refuse();
  act();
});

try {
  const items = await library.load();
  // The address remembers the file, over a reload.
  if (items.length) library.choose(items.find(item => item.id === location.hash.slice(1)) ?? items[0]);
} catch (error) { say(error.message || t.gone); }
