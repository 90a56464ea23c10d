"""An export as it is seen on the timeline, and what a person types for it."""
import json, os, shutil, time

from trimdtest.processes import ffmpeg, ffprobe
from trimpage.browser import cancel, choose, expect, export_slowly
from trimpage.editing import set_range, until

# Where a row of the timeline has a colour: the first and the last place, in seconds of the film, and how many of its pixels have it.
ROW = """([color, fromBottom]) => { const timeline = document.querySelector("trim-timeline"), { canvas } = timeline, pen = canvas.getContext("2d");
  const want = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true }); want.fillStyle = getComputedStyle(timeline).getPropertyValue(color); want.fillRect(0, 0, 1, 1);
  const one = want.getImageData(0, 0, 1, 1).data, height = canvas.clientHeight, y = Math.round((fromBottom ? height - fromBottom : height * 56 / 100 + 2) * devicePixelRatio);
  const row = pen.getImageData(0, y, canvas.width, 1).data, found = [];
  for (let x = 0; x < canvas.width; x++) if ([0, 1, 2].every(part => Math.abs(row[4 * x + part] - one[part]) < 3)) found.push(x / canvas.width * timeline.length);
  return found.length ? [found[0], found.at(-1), found.length / canvas.width * timeline.length] : null; }"""


def add_copy(browser, films, name):
    """A copy of the film that was never opened."""
    shutil.copy(os.path.join(films, "film.mp4"), os.path.join(films, "." + name))
    os.rename(os.path.join(films, "." + name), os.path.join(films, name))
    browser.tab.locator(".files b", has_text=name).wait_for(timeout=60_000)
    choose(browser, name)


def progress(browser, films):
    """The timeline shows which parts are copied and which are encoded, and how far an export is; the row of the job has its phase."""
    tab = browser.tab
    add_copy(browser, films, "progress.mp4")
    tab.wait_for_selector("input[name=preset][value='passthrough']", timeout=60_000)
    set_range(browser, 1, 5)
    browser.key("Home", *["ArrowRight"] * 7, "n")
    set_range(browser, 7, 11)
    tab.locator("input[name=preset][value='passthrough']").check()
    tab.get_by_role("button", name="Show plan").click()
    tab.locator(".plan li", has_text="frames encoded").wait_for(timeout=60_000)
    time.sleep(0.5)
    # Keyframes lie at 0, 2, 4 and so on: the parts begin within groups.
    copied, encoded = (tab.evaluate(ROW, [color, 0]) for color in ("--copy", "--encode"))
    expect(copied and encoded and encoded[0] < 1.1 < 1.9 < copied[0] < 2.1 and copied[2] > 4 and encoded[2] > 1, "copied and encoded are", copied, encoded)
    row = export_slowly(tab, "progress-out.mp4")
    seen, words, end = [], set(), time.monotonic() + 90
    while time.monotonic() < end and not (seen and seen[-1][2] > 2.5):
        if not row.count():
            continue
        text = row.inner_text()
        words.add(text.split("\n")[-2 if "Hold" in text else -1].split(" · ")[0])
        bar = tab.evaluate(ROW, ["--accent", 2])
        if bar and (not seen or bar != seen[-1]):
            seen.append(bar)
        if row.get_attribute("data-status") in ("completed", "failed"):
            break
        time.sleep(0.03)
    legend = tab.locator(".legend").inner_text()
    expect(len(seen) >= 2 and all(a[2] <= b[2] + 0.05 for a, b in zip(seen, seen[1:])), "the timeline shows of the export", seen, words)
    expect(all(abs(bar[0] - 1) < 0.1 and not 5.1 < bar[1] < 6.9 for bar in seen), "the timeline shows what is not exported:", seen)
    if row.get_attribute("data-status") == "exporting":
        expect("encoded" in legend and "done" in legend, "the legend is", legend)
        # It is there again after a reload.
        tab.reload()
        browser.ready()
        until(lambda: tab.evaluate(ROW, ["--accent", 2]) and tab.evaluate(ROW, ["--encode", 0]) or row.get_attribute("data-status") == "completed",
              "after a reload the timeline shows nothing of the export")
    if row.get_attribute("data-status") == "exporting":
        cancel(browser, row, "progress-out.mp4")
    until(lambda: "done" not in tab.locator(".legend").inner_text(), "the timeline shows an export that has ended")
    tab.locator("input[name=preset][value='passthrough']").check()
    browser.blur()


def joining(browser, films):
    """While the parts of an export are joined the timeline shows how far they are, beside what is made; so after they are."""
    tab = browser.tab
    add_copy(browser, films, "joining.mp4")
    until(lambda: tab.evaluate("location.hash"), "the address does not name the film")
    job = {"id": 99, "status": "exporting", "phase": "finishing", "progress": 0.965, "inputID": tab.evaluate("location.hash.slice(1)"), "output": "/joined.mp4", "input": "/joining.mp4",
           "created": {"milliseconds": 1}, "requested": {"start": {"value": 1, "timescale": 1}, "end": {"value": 9, "timescale": 1}}}
    told = {**job, "speed": 2.5, "remaining": 9, "phase": "exporting", "time": {"value": 8, "timescale": 1}}
    for progress, wanted in (({"time": {"value": 8, "timescale": 2}}, 3), ({}, 0), ({"phase": "verifying"}, 8)):
        other = tab.context.new_page()
        # As trimd tells of a join that takes its time.
        lines = [("jobs", [told]), ("progress", {key: job[key] for key in ("id", "phase", "progress")} | progress)]
        body = "retry: 600000\n\n" + "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in lines)
        other.route("**/api/events", lambda route: route.fulfill(content_type="text/event-stream", body=body))
        try:
            other.goto(tab.url)
            other.wait_for_selector("body[data-ready]:not([data-ready=''])", timeout=60_000)
            words = other.locator("job-queue li span").first
            until(lambda: ("verifying" if wanted == 8 else "joining") in words.inner_text(), "the job is said to be", words.inner_text())
            # The colour of text; made is everything, to the end.
            joined = lambda: other.evaluate(ROW, ["color", 6])
            until(lambda: abs((joined() or [0, 0, 0])[2] - wanted) < 0.1, "joined is", joined(), "not", wanted)
            made = other.evaluate(ROW, ["--accent", 2])
            expect(wanted == 8 or made and abs(made[1] - 9) < 0.1, "made is", made)
            expect("×" not in words.inner_text() and "left" not in words.inner_text(), "of a join is said the speed of the encodes:", words.inner_text())
            expect(("joined" in other.locator(".legend").inner_text()) == (wanted > 0), "the legend is", other.locator(".legend").inner_text())
        finally:
            other.close()


TYPED = {"Title": "A title", "Description": "Two words.\nAnd a second line", "Genre": "Documentary", "Date": "2024-05-06", "Content rating": "PG"}


def typed(browser, films):
    """Title, description, genre, date, content rating and artwork are typed and chosen, and are in the output; the rest of the file's stays."""
    tab = browser.tab
    add_copy(browser, films, "typed.mp4")
    picture = os.path.join(browser.folder, "typed.png")
    ffmpeg("-f", "lavfi", "-i", "color=red:s=64x48", "-frames:v", "1", picture)
    browser.unfold()
    for label, words in TYPED.items():
        tab.get_by_label(label, exact=True).focus()
        tab.keyboard.type(words)
    tab.locator("metadata-sheet input[type=file]").set_input_files(picture)
    tab.locator(".drop img[src^=blob]").wait_for(timeout=30_000)
    browser.blur()
    for name in ("typed-out.mp4", "typed-out.mkv"):
        browser.export("passthrough", name)
        found = ffprobe(os.path.join(films, name), "-show_format", "-show_streams")
        tags = {key.lower(): value for key, value in found["format"]["tags"].items()}
        # In Matroska it has another name.
        tags["date"] = tags.get("date", tags.get("date_released"))
        rating = tags.get("itunextc", tags.get("content_rating"))
        wrong = {label: tags.get(label.lower()) for label, words in TYPED.items() if label != "Content rating" and tags.get(label.lower()) != words}
        expect(not wrong, name, "has", wrong, "of", tags)
        expect(rating and "PG" in rating, name, "has the rating", rating, "of", tags)
        covers = [(one["codec_name"], one["width"], one["height"]) for one in found["streams"] if one["disposition"]["attached_pic"]]
        expect(covers == [("png", 64, 48)], name, "has the artwork", covers)
    browser.blur()
