"""Ranges in lists and beside the film, interstitials, chapters, artwork, tracks; two tabs, and a film that changes."""
import json, os, shutil, time
from fractions import Fraction as F

from trimdtest.paths import programs
from trimdtest.processes import ffmpeg, ffprobe, run
from trimpage.browser import RATE, cancel, choose, expect, export_slowly, make


def ranges(tab):
    return tab.locator(".ranges button").all_inner_texts()


def until(holds, *words, seconds=30):
    """Waits until something holds; words that are functions are asked when it did not."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() >= end:
            expect(False, *(word() if callable(word) else word for word in words))
        time.sleep(0.05)


def set_range(browser, first, last):
    """Sets the selected range to whole seconds, by keys."""
    selected = browser.tab.locator(".ranges button[aria-pressed=true]")
    for at, key in ((first, "i"), (last, "o")):
        browser.key("Home", *["ArrowRight"] * at)
        browser.wait_number(at * RATE)
        if key == "o":
            browser.key(",")
            browser.wait_number(at * RATE - 1)
        browser.key(key)
        point = f"00:00:{at:02}.000"
        until(lambda: selected.inner_text().startswith(point) if key == "i" else f" to {point}" in selected.inner_text(), "the point", point, "is not set, but", selected.inner_text())


def lists(browser, films):
    """Ranges go out as lists of every kind and come back; beside the film they are a project of LosslessCut's, which others may change."""
    choose(browser, "lists.mp4")
    tab, project = browser.tab, os.path.join(films, "lists-proj.llc")
    set_range(browser, 1, 3)
    browser.key("Home", *["ArrowRight"] * 5, "n")
    set_range(browser, 5, 7)
    # From one label straight to the next: the field keeps the focus and both words stay.
    first, second = tab.locator(".ranges input").nth(0), tab.locator(".ranges input").nth(1)
    first.click()
    tab.keyboard.type("one")
    second.click()
    tab.keyboard.type("the \"second\", part")
    expect([one.input_value() for one in (first, second)] == ["one", "the \"second\", part"], "the labels are", first.input_value(), second.input_value())
    first.fill("")
    browser.blur()
    both = ranges(tab)
    expect(both == ["00:00:01.000 to 00:00:03.000, 2.000 s", "00:00:05.000 to 00:00:07.000, 2.000 s"], "the ranges are", both)
    until(lambda: os.path.exists(project) and "second" in open(project).read(), "nothing is saved beside the film")
    table = run(os.path.join(programs(), "trimctl"), "convert", project, "--to", "csv").stdout.decode()
    expect(table == 'input,start,end,label\nlists.mp4,1,3,\nlists.mp4,5,7,"the ""second"", part"\n', "the project says", table)
    for kind in ("llc", "csv", "edl", "otio", "tsv"):
        with tab.expect_download() as download:
            tab.get_by_label("Save cuts").select_option(kind)
        path = os.path.join(browser.folder, download.value.suggested_filename)
        download.value.save_as(path)
        tab.get_by_role("button", name="Remove this range").click()
        tab.locator("input[type=file][accept*='.llc']").set_input_files(path)
        until(lambda: ranges(tab) == both, kind, "does not come back")
        expect(tab.locator(".ranges input").nth(1).input_value() == "the \"second\", part", kind, "loses the label")
        os.remove(path)
    browser.blur()
    # Another program writes the project: it is not replaced unasked.
    time.sleep(1)
    other = json.dumps({"version": 1, "mediaFileName": "lists.mp4", "cutSegments": [{"start": 2.04, "end": 4, "name": "of another"}]})
    with open(project, "w") as file:
        file.write(other)
    browser.key("Control+z")
    tab.locator("#question", has_text="is not replaced").wait_for(timeout=30_000)
    expect(open(project).read() == other, "the list of another program was replaced")
    tab.get_by_role("button", name="Read them").click()
    until(lambda: ranges(tab) == ["00:00:02.040 to 00:00:04.000, 1.960 s"], "the other program's ranges are not read", seconds=20)
    # A list that this browser did not write is asked about when the film is opened again, too.
    with open(project, "w") as file:
        file.write(other.replace("2.04", "3"))
    tab.reload()
    browser.ready()
    tab.locator("#question", has_text="other ranges").wait_for(timeout=30_000)
    tab.get_by_role("button", name="Replace them").click()
    until(lambda: "2.04" in open(project).read(), "the ranges are not saved again")
    browser.faults[:] = [fault for fault in browser.faults if "409" not in fault]


def interstitials(browser):
    """A part that is skipped is not played, one that is shown has its name, and one that is not to be skipped is not."""
    choose(browser, "lists.mp4")
    tab = browser.tab
    while len(ranges(tab)) > 1 or "00:00:00.000 to 00:00:12.000" not in ranges(tab)[0]:
        tab.get_by_role("button", name="Remove this range").click()
    # The film from its start on is a range of a person's own, and stays.
    browser.key("Home", "i", "n")
    set_range(browser, 2, 4)
    kind = tab.locator(".ranges select").nth(1)

    def play(way, act=lambda: None):
        """The times that are played from second 1 on, to 5 or as long as it lasts."""
        kind.select_option(way)
        browser.blur()
        browser.key("Home", "ArrowRight")
        browser.wait_number(RATE)
        tab.evaluate("""() => { const v = document.querySelector("video"), tag = document.querySelector(".tag"); window.times = []; window.tags = [];
            const turn = () => { times.push(v.currentTime); tags.push(tag.textContent); if (!v.paused) requestAnimationFrame(turn); };
            v.addEventListener("play", () => requestAnimationFrame(turn), { once: true }); }""")
        browser.key(" ")
        act()
        until(lambda: tab.evaluate("document.querySelector('video').currentTime") > 4.5, "it is not played on", seconds=40)
        browser.key("k")
        return tab.evaluate("[times, tags]")

    times, _ = play("skip")
    expect(not [at for at in times if 2.2 < at < 3.9], "a part that is to be skipped is played:", [at for at in times if 2.2 < at < 3.9][:5])
    times, tags = play("show")
    expect([at for at in times if 2.5 < at < 3.5] and any("Interstitial" in tag for tag in tags), "a part is not shown with its name")

    def leap():
        until(lambda: tab.evaluate("document.querySelector('video').currentTime") > 2.3, "it is not played")
        for _ in range(4):
            browser.key("ArrowRight")
            time.sleep(0.15)
    times, _ = play("must", leap)
    gaps = [(a, b) for a, b in zip(times, times[1:]) if a < 3.9 and b > 4.4]
    expect(not gaps and len([at for at in times if 3 < at < 3.9]) > 5, "a part that is not to be skipped was skipped:", gaps)
    tab.get_by_role("button", name="Remove this range").click()
    browser.blur()


def details(browser, films):
    """Title, chapters and a frame as artwork are in the output, and the chosen track of sound alone; what is left out is said."""
    two = os.path.join(films, "two.mkv")
    make("-i", os.path.join(films, "lists.mp4"), "-f", "lavfi", "-i", "sine=f=700:d=12", "-map", "0:v", "-map", "0:a", "-map", "1:a", "-c:v", "copy",
           "-c:a", "aac", "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=deu", two)
    tab = browser.tab
    tab.locator(".files b", has_text="two.mkv").wait_for(timeout=30_000)
    choose(browser, "two.mkv")
    tab.locator("trim-player .controls").get_by_label("Sound").select_option(label="Track 2: deu, aac")
    tab.locator("trim-player[data-mode=segments]").wait_for(timeout=30_000)
    browser.key(" ")
    until(lambda: tab.evaluate("document.querySelector('video').currentTime") > 0.5, "the second track is not played")
    browser.key("k")
    browser.unfold()
    tab.get_by_label("Title", exact=True).fill("<b>A title</b>")
    browser.blur()
    browser.key("Home", "ArrowRight", "ArrowRight")
    browser.rest(F(19, 10))
    tab.get_by_role("button", name="Add a chapter here").click()
    tab.get_by_label("Title of chapter 1").fill("Second two")
    tab.get_by_role("button", name="Use this frame").click()
    tab.locator(".drop img[src^=blob]").wait_for(timeout=30_000)
    browser.blur()
    # The draft outlasts a reload: fields, chapters, the picture itself.
    tab.reload()
    browser.ready()
    browser.unfold()
    tab.locator(".drop img[src^=blob]").wait_for(timeout=30_000)
    until(lambda: tab.evaluate("document.querySelector('.drop img').naturalWidth") > 100, "the artwork of the draft is no picture")
    kept = [tab.get_by_label(label, exact=True).input_value() for label in ("Title", "Title of chapter 1")]
    expect(kept == ["<b>A title</b>", "Second two"], "after a reload the draft is", kept)
    tab.get_by_label("Track 1: eng, aac").uncheck()
    browser.blur()
    tab.get_by_role("button", name="Show plan").click()
    tab.locator(".plan li", has_text="Left out: track 1").wait_for(timeout=60_000)
    tab.locator(".legend .way").first.wait_for(timeout=20_000)
    browser.export("passthrough", "details.mkv")
    found = json.loads(run("ffprobe", "-v", "error", "-show_streams", "-show_chapters", "-show_format", "-of", "json", os.path.join(films, "details.mkv")).stdout)
    kinds = [(one["codec_type"], one["disposition"]["attached_pic"], one.get("tags", {}).get("language")) for one in found["streams"]]
    expect(found["format"]["tags"].get("title") == "<b>A title</b>", "the title is", found["format"]["tags"])
    expect([one["tags"]["title"] for one in found["chapters"] if abs(F(one["start_time"]) - 2) < F(3, 100)] == ["Second two"], "the chapters are", found["chapters"])
    expect(any(cover for _, cover, _ in kinds) and [kind for kind in kinds if kind[0] == "audio"] == [("audio", 0, "ger")], "the tracks are", kinds)
    # A change that is taken back is no draft.
    tab.get_by_label("Title", exact=True).fill("")
    tab.get_by_role("button", name="Not this picture").click()
    tab.get_by_role("button", name="Remove chapter 1").click()
    browser.blur()
    tab.reload()
    browser.ready()
    expect(tab.locator("metadata-sheet [data-key=title]").input_value() == "" and tab.locator(".drop img[src]").count() == 0, "a draft comes back")
    browser.blur()


def jobs(browser):
    """A job's log, hold and cancel; the result beside its source, with the frames at the seams."""
    tab = browser.tab
    choose(browser, "film.mp4")
    row = tab.locator("job-queue li", has_text="seen.mp4")
    row.get_by_role("button", name="Log").click()
    tab.locator("dialog pre", has_text="completed").wait_for(timeout=20_000)
    browser.key("Escape")
    tab.locator("dialog").wait_for(state="detached")
    row.get_by_role("button", name="Compare").click()
    tab.locator("dialog[data-exact=true]").wait_for(timeout=60_000)
    browser.axe("the comparison:")
    kinds = tab.locator("dialog .marks button").all_inner_texts()
    expect(len(kinds) >= 3 and any("copied and encoded" in kind for kind in kinds), "the seams are", kinds)
    for index in range(len(kinds)):
        tab.evaluate("delete document.querySelector('dialog').dataset.seam")
        tab.locator("dialog .marks button").nth(index).click()
        tab.locator("dialog[data-seam]").wait_for(timeout=20_000)
        frames = [int(words.split("frame ")[1]) for words in tab.locator("dialog figcaption").all_inner_texts()]
        expect(frames[0] - frames[1] == 56, "at", kinds[index], "the frames are", frames)
    tab.get_by_role("button", name="Play both").click()
    until(lambda: tab.evaluate("document.querySelectorAll('dialog video')[1].currentTime") > 0.8, "the result is not played")
    apart = tab.evaluate("(([a, b]) => a.currentTime - b.currentTime)([...document.querySelectorAll('dialog video')])")
    expect(abs(apart - 2.24) < 0.25, "source and result are apart:", apart)
    browser.key("Escape")
    tab.locator("dialog").wait_for(state="detached")
    # One that takes long is held, goes on, and is cancelled.
    row = export_slowly(tab, "long.mp4")
    row.get_by_role("button", name="Hold").click(timeout=60_000)
    row.get_by_role("button", name="Go on").click(timeout=60_000)
    cancel(browser, row, "long.mp4")


def tabs(browser, films):
    """Two tabs on one film have one list of ranges; a film that changes or goes is told, and its ranges stay."""
    shutil.copy(os.path.join(films, "lists.mp4"), os.path.join(films, "draft.mp4"))
    tab = browser.tab
    tab.locator(".files b", has_text="draft.mp4").wait_for(timeout=30_000)
    choose(browser, "draft.mp4")
    other = tab.context.new_page()
    other.goto(tab.url)
    other.wait_for_selector("body[data-ready]:not([data-ready=''])", timeout=60_000)
    set_range(browser, 3, 5)
    wanted = ranges(tab)
    until(lambda: ranges(other) == wanted, "the other tab does not hear of the range")
    other.keyboard.press("n")
    until(lambda: len(ranges(tab)) == 2, "this tab does not hear of the other's range")
    other.keyboard.press("Control+z")
    until(lambda: ranges(tab) == wanted == ranges(other), "undo in the other tab")
    other.close()
    time.sleep(1.5)
    draft = os.path.join(films, "draft.mp4")
    os.remove(os.path.join(films, "draft-proj.llc"))
    ffmpeg("-y", "-i", os.path.join(films, "film.mp4"), "-t", "8", "-c", "copy", draft + ".mp4")
    os.rename(draft + ".mp4", draft)
    tab.locator("#question", has_text="just been changed").wait_for(timeout=30_000)
    tab.get_by_role("button", name="Open it anew").click()
    tab.get_by_role("button", name="Take over its ranges").click(timeout=60_000)
    until(lambda: ranges(tab) == wanted, "the ranges of the earlier version are", ranges(tab))
    os.remove(draft)
    tab.locator("#notice", has_text="is gone").wait_for(timeout=30_000)
    expect(ranges(tab) == wanted, "the ranges go with the file")
    browser.faults[:] = [fault for fault in browser.faults if "Failed to load resource" not in fault]


def handles(browser, films):
    """The points of a range that is the whole film are taken by the mouse, wherever the position is."""
    shutil.copy(os.path.join(films, "lists.mp4"), os.path.join(films, "handles.mp4"))
    tab = browser.tab
    tab.locator(".files b", has_text="handles.mp4").wait_for(timeout=30_000)
    choose(browser, "handles.mp4")
    expect(ranges(tab) == ["00:00:00.000 to 00:00:12.000, 12.000 s"], "the range is not the whole film but", ranges(tab))
    # The position lies on the point that is taken: at first at the beginning, then on the point itself.
    browser.key("Home")
    browser.wait_number(0)
    for wanted, at, to in [((3, 12), 4, 1 / 4), ((6, 12), None, 1 / 2), ((6, 9), -4, 3 / 4)]:
        box = tab.locator(".track").bounding_box()
        left, y = box["x"] + 1, box["y"] + box["height"] / 2
        tab.mouse.move(left + (box["width"] - 2) * ranges_seconds(tab)[0] / 12 - 4 if at is None else left + at % (box["width"] - 2), y)
        tab.mouse.down()
        tab.mouse.move(left + (box["width"] - 2) * to, y, steps=5)
        tab.mouse.up()
        until(lambda: all(abs(one - right) < 0.1 for one, right in zip(ranges_seconds(tab), wanted)), "the points are not those of the mouse,", wanted, "but", ranges(tab))
    browser.blur()


def hasty(browser, films):
    """Keys that come faster than frames: each point is the frame that was meant when its key was pressed."""
    shutil.copy(os.path.join(films, "film.mp4"), os.path.join(films, "hasty.mp4"))
    tab = browser.tab
    tab.locator(".files b", has_text="hasty.mp4").wait_for(timeout=30_000)
    choose(browser, "hasty.mp4")

    def at_once(*keys):
        """Presses keys within one task, so that no frame arrives between them."""
        tab.evaluate("""keys => { for (const key of keys) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })); }""", keys)
    at_once(*["ArrowRight"] * 3, "i", *["ArrowRight"] * 3, "o", *["ArrowRight"] * 3, "n", *["ArrowRight"] * 2, ".", ".", "o", "Home")
    wanted = ["00:00:03.000 to 00:00:06.040, 3.040 s", "00:00:09.000 to 00:00:11.120, 2.120 s"]
    until(lambda: ranges(tab) == wanted, "the ranges are", ranges(tab))
    browser.wait_number(0)
    # Who rests before playing has begun is told nothing of it.
    at_once(" ", "k")
    time.sleep(0.7)
    expect(not tab.locator(".screen .message").inner_text(), "the page says:", tab.locator(".screen .message").inner_text())


# Keys within one task, so that no frame arrives between them; a time among them goes to the field that goes to it.
AT_ONCE = """keys => { for (const key of keys) {
    const place = document.querySelector(".place");
    if (/^[0-9]/.test(key)) { place.value = key; place.dispatchEvent(new Event("change")); }
    else document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  } }"""


def pending(browser, films):
    """An export, a list and a picture are made of the points and the frame that were asked for, also where these are not here yet; a point
    belongs to its film, also where another is chosen at once."""
    shutil.copy(os.path.join(films, "film.mp4"), os.path.join(films, "pending.mp4"))
    tab = browser.tab
    tab.locator(".files b", has_text="pending.mp4").wait_for(timeout=30_000)
    choose(browser, "pending.mp4")
    tab.wait_for_selector("input[name=preset][value='passthrough']", timeout=60_000)
    for index, (keys, wanted) in enumerate([(("1", "i", "2", "o"), 26), (("3", "i", "ArrowRight", "ArrowRight", "o"), 51), (("6", "o", "Home", ".", ".", "i"), 149)]):
        name = f"pending-{index}.mp4"
        tab.locator("preset-list input[type=text]").fill(name)
        browser.blur()
        tab.evaluate(AT_ONCE, [*keys, "e"])
        row = tab.locator("job-queue li:is([data-status=completed], [data-status=failed])", has_text=name)
        row.wait_for(timeout=120_000)
        path = os.path.join(films, name)
        found = int(ffprobe(path, "-count_frames", "-show_streams", "-select_streams", "v")["streams"][0]["nb_read_frames"])
        expect(found == wanted, "of", keys, "then E", found, "frames are exported, and not", wanted)
    # A point that is not set is none that an export may pass over.
    tab.route("**/thumbnails?*", lambda route: route.abort())
    before = tab.locator("job-queue li").count()
    tab.evaluate(AT_ONCE, ["7.1234", "i", "e"])
    until(lambda: tab.locator("preset-list .message").inner_text() and tab.locator("preset-list button.primary").is_enabled(), "nothing is said of a point that cannot be set")
    expect(tab.locator("job-queue li").count() == before, "the old range is exported where the new point cannot be set")
    tab.unroute("**/thumbnails?*")
    tab.locator("preset-list input[type=text]").fill("")
    # Another film at once.
    tab.evaluate(AT_ONCE, ["5", "i", "PageUp"])
    until(lambda: tab.locator("#film").inner_text() != "pending.mp4", "no other film is chosen")
    choose(browser, "pending.mp4")
    until(lambda: ranges(tab)[0].startswith("00:00:05.000"), "the point that was set before another film was chosen is lost:", ranges(tab))
    browser.faults[:] = [fault for fault in browser.faults if "Failed to load resource" not in fault]


def ranges_seconds(tab):
    """The first range's points in seconds, of a film of less than a minute."""
    return [float(one[6:12]) for one in ranges(tab)[0].split(", ")[0].split(" to ")]
