// The result of an export beside its source: the frames at each seam, both films in step, and whether one is exactly a part of the other.
import { api } from "/api.js";
import { button, dialog, h, on, show, t } from "/dom.js";
import { isFilm, playFilm } from "/elements/preview-source.js";
import { add, clock, near, seconds, spell, subtract, time } from "/time.js";

/// Opens the comparison of a finished job. `known` is the request as this browser sent it, with the plan's spans, if it did.
export const compareFilms = async (job, source, result, known) => {
  const state = h("p.message", { role: "status" }, t.verifying), seams = h("ul.marks", { ariaLabel: t.seams });
  const sides = [[t.source, source], [t.result, result]].map(([words, item]) => ({ item, video: h("video", { playsInline: true, preload: "auto", tabIndex: -1, ariaLabel: words }), still: h("img.still", { alt: "" }), at: h("figcaption", {}, words), words }));
  sides[0].video.muted = true;
  const box = dialog(`${t.compare}: ${result.name}`, h("div.pair", {}, ...sides.map(side => h("figure", {}, h("div.screen", {}, side.video, side.still), side.at))),
    h("div.controls", {}, button(t.playBoth, () => play())), seams, state);
  box.classList.add("compare");

  // The kept ranges, with their starts in the result.
  const spans = known?.ranges ?? [{ start: job.requested?.start ?? time(0), end: job.requested?.end }];
  let at = time(0);
  const parts = spans.map(({ start, end }) => { const part = { start, from: at, end }; at = add(at, subtract(end, start)); return part; });
  const length = at;
  const partAt = s => parts.findLast(one => seconds(one.from) <= s + 1e-6) ?? parts[0];
  const inSource = s => { const part = partAt(s); return seconds(part.start) + s - seconds(part.from); };
  const inResult = whole => { const part = parts.find(one => seconds(one.start) <= seconds(whole) && seconds(whole) < seconds(one.end)); return part && add(part.from, subtract(whole, part.start)); };

  const marks = [{ kind: "start", at: time(0) }, ...parts.slice(1).map(part => ({ kind: "join", at: part.from }))];
  for (const [index, span] of (known?.spans ?? []).entries()) {
    const mark = index && known.spans[index - 1].way !== span.way && inResult(span.range.start);
    if (mark && !marks.some(one => Math.abs(seconds(one.at) - seconds(mark)) < 1e-6)) marks.push({ kind: "cut", at: mark });
  }
  marks.push({ kind: "end", at: near(Math.max(0, seconds(length) - 0.001)) });
  marks.sort((a, b) => seconds(a.at) - seconds(b.at));
  seams.replaceChildren(...marks.map(mark => h("li", {}, button(t.seamAt(t.seam[mark.kind], clock(seconds(mark.at))), () => look(mark)))));

  /// The frame of both at a time of the result.
  const look = async mark => {
    for (const side of sides) side.video.pause();
    const part = partAt(seconds(mark.at)), place = mark.kind === "end" ? near(seconds(part.end) - 0.001) : add(part.start, subtract(mark.at, part.from));
    await Promise.all(sides.map(async (side, index) => {
      try {
        const picture = await api.frame(side.item.id, spell(index ? mark.at : place), { width: 640 });
        show(side.still, picture.blob);
        side.still.hidden = false;
        side.at.textContent = `${side.words}: ${clock(seconds(picture.actual))}${picture.number === undefined ? "" : `, ${t.frame(picture.number)}`}`;
      } catch (error) { side.at.textContent = `${side.words}: ${error.message}`; }
    }));
    box.dataset.seam = mark.kind;
  };

  const placeOf = side => side.video.currentTime - (side.source?.offset ?? 0), put = (side, s) => { side.video.currentTime = s + (side.source?.offset ?? 0); };
  const play = () => {
    const [one, other] = sides;
    if (!other.video.paused) { for (const side of sides) side.video.pause(); return; }
    for (const side of sides) side.still.hidden = true;
    if (other.video.ended) put(other, 0);
    put(one, inSource(placeOf(other)));
    for (const side of sides) side.video.play().catch(error => { state.textContent = error.message; });
    const follow = () => {
      if (!box.isConnected || other.video.paused) { one.video.pause(); return; }
      const wish = inSource(placeOf(other));
      if (Math.abs(placeOf(one) - wish) > 0.15 && !one.video.seeking) put(one, wish);
      for (const side of sides) side.at.textContent = `${side.words}: ${clock(placeOf(side))}`;
      requestAnimationFrame(follow);
    };
    requestAnimationFrame(follow);
  };

  const open = [];
  on(box, "close", () => { for (const one of open) one.close(); for (const side of sides) { side.video.removeAttribute("src"); side.video.load(); } });
  look(marks[0]);
  for (const side of sides) {
    const asset = await api.probe(side.item.id).catch(() => undefined);
    if (asset && box.isConnected) open.push(side.source = await playFilm(side.video, side.item, { duration: seconds(asset.duration), hasVideo: asset.tracks.some(isFilm), tracks: asset.tracks, start: Math.max(0, seconds(asset.start ?? time(0))), rate: NaN, width: 640, failed: error => { state.textContent = error.message; } }));
  }
  try {
    const report = await api.order(job.id, "verify", known?.request ?? {});
    box.dataset.exact = report.exact;
    state.textContent = [report.exact ? t.exact : t.notExact, report.video && t.verified(report.video), ...report.findings.map(one => one.message)].filter(Boolean).join(" ");
  } catch (error) { state.textContent = error.message; }
};
