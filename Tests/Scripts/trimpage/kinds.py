"""Kinds of files and of ranges: covers of music, encrypted films, slow ones, variable rates, the first range, ranges that are removed, and what
is seen while films are changed."""
import contextlib, json, os, shutil, time
from fractions import Fraction as F

from trimdtest.paths import MEDIA
from trimdtest.processes import ffprobe, run
from trimpage.browser import RATE, choose, expect, make
from trimpage.editing import ranges, set_range, until
from trimpage.exporting import add_copy

NOW = "document.querySelector('video').currentTime"

# The middle of a picture: red, green, blue; nothing where there is no picture.
COLOUR = """from => { if (!from.naturalWidth || from.hidden) return null; const pen = new OffscreenCanvas(9, 9).getContext("2d"); pen.drawImage(from, 0, 0, 9, 9);
  return [...pen.getImageData(4, 4, 1, 1).data].slice(0, 3); }"""


def is_orange(colour):
    return bool(colour) and all(abs(one - right) < 24 for one, right in zip(colour, (255, 128, 0)))


def covers(browser, films):
    """The cover of music is its poster in the library, and is on the screen at rest and while it plays; music without one has none."""
    tab, words = browser.tab, ["-f", "lavfi", "-i", "sine=f=300:d=6"]
    for name in ("cover.mp3", "cover.m4a", "cover.flac"):
        make(*words, "-f", "lavfi", "-i", "color=0xff8000:s=300x300:r=1:d=1", "-map", "0", "-map", "1", "-frames:v", "1", "-c:v", "png" if name != "cover.m4a" else "mjpeg",
             "-disposition:v", "attached_pic", os.path.join(films, name))
    make(*words, os.path.join(films, "bare.mp3"))
    for name in ("cover.mp3", "cover.m4a", "cover.flac", "bare.mp3"):
        row = tab.locator(".files button", has=tab.locator("b", has_text=name))
        row.wait_for(timeout=30_000)
        row.scroll_into_view_if_needed()
        has_cover = name != "bare.mp3"
        if has_cover:
            until(lambda: is_orange(row.locator("img").evaluate(COLOUR)), name, "has no poster")
        choose(browser, name)
        still = tab.locator(".still")
        if not has_cover:
            expect(not still.is_visible() and row.locator("img[src]").count() == 0, "music without a cover has one")
            continue
        until(lambda: is_orange(still.evaluate(COLOUR)), "the cover of", name, "is not on the screen")
        browser.key(" ")
        until(lambda: tab.evaluate(NOW) > 0.3, name, "does not play")
        expect(is_orange(still.evaluate(COLOUR)), "while it plays the cover of", name, "goes")
        browser.key("k")
    choose(browser, "film.mp4")
    expect(browser.seen() == 0, "a cover stays on the next film")


def high_range(browser, films):
    """A film of high dynamic range has the same colours at rest and in play: those of the preview, since browsers map its tones their own way."""
    words = ["-f", "lavfi", "-i", "color=0x40a0c0:s=320x180:r=25:d=4", "-c:v", "libvpx-vp9", "-cpu-used", "8", "-deadline", "realtime"]
    make(*words, "-color_trc", "arib-std-b67", "-color_primaries", "bt2020", "-colorspace", "bt2020nc", os.path.join(films, "hlg.webm"))
    choose(browser, "hlg.webm")
    browser.tab.locator("trim-player[data-mode=segments]").wait_for(timeout=30_000)
    choose(browser, "film.mp4")


def encrypted(browser, films):
    """A film that is encrypted is said to be, at once, and nobody is told to try again."""
    tab = browser.tab
    for name in ("seek_encrypted.webm", "short-cenc.mp4"):
        source = os.path.join(MEDIA, name)
        if not os.path.exists(source):
            print(f"page-check: there is no {source}: left out")
            continue
        shutil.copy(source, os.path.join(films, name))
        tab.locator(".files b", has_text=name).wait_for(timeout=30_000)
        began = time.monotonic()
        choose(browser, name)
        expect(time.monotonic() - began < 6, name, "is open after", f"{time.monotonic() - began:.1f} s")
        message = tab.locator(".screen .message")
        until(lambda: "is encrypted" in message.inner_text(), "of an encrypted film is said:", message.inner_text())
        browser.key(" ")
        time.sleep(0.5)
        expect("again" not in message.inner_text() and tab.locator("#notice").inner_text() == "encrypted", "of an encrypted film is said:", message.inner_text(), tab.locator("#notice").inner_text())
        expect(tab.evaluate("document.querySelector('video').paused"), name, "is played")
    choose(browser, "film.mp4")
    browser.faults[:] = [fault for fault in browser.faults if "Failed to load resource" not in fault]


def changed(browser):
    """Who goes on to another film waits for nothing of the one before, and sees nothing of it."""
    tab, waiting = browser.tab, []
    choose(browser, "lists.mp4")
    browser.key("Home", ".")
    browser.wait_number(1)
    # A frame that never comes.
    tab.route("**/thumbnails?*width=*", lambda route: waiting.append(route) if "at=4%2F1" in route.request.url or "at=360000%2F90000" in route.request.url else route.continue_())
    try:
        tab.evaluate("document.querySelector('trim-player').seek(4)")
        until(lambda: tab.evaluate("1") and waiting, "no frame is asked for")
        tab.evaluate("""() => { const readout = document.querySelector(".readout"); window.readouts = [];
            new MutationObserver(() => readouts.push([document.querySelector("#film").textContent, document.body.dataset.ready, readout.textContent])).observe(readout, { childList: true }); }""")
        tab.locator(".files button", has=tab.locator("b", has_text="film.mp4")).first.click()
        until(lambda: tab.locator("#film").inner_text() == "film.mp4" and browser.number() == 0, "the next film waits for a frame of the one before:", tab.locator(".readout").inner_text(), seconds=15)
        told = tab.evaluate("readouts")
        expect(told and not told[0][2].strip(), "the next film begins with the time of the one before:", told[:3])
    finally:
        for route in waiting:
            # The page waits for it no longer.
            with contextlib.suppress(Exception):
                route.abort()
        tab.unroute("**/thumbnails?*width=*")
    browser.ready()
    browser.blur()


def slowly(browser):
    """A preview that is waited for says so, and no longer once it plays."""
    tab, message = browser.tab, browser.tab.locator(".screen .message")
    choose(browser, "other.ts")
    browser.key("Home")
    browser.wait_number(0)
    held = []
    tab.route("**/segment?*", lambda route: held.append(route) if held is not None else route.continue_())
    try:
        tab.evaluate("document.querySelector('trim-player').seek(9)")
        browser.key(" ")
        until(lambda: message.inner_text() == "Loading…", "of a preview that is late is said:", message.inner_text())
        for route in held:
            route.continue_()
        held = None
        until(lambda: tab.evaluate(NOW) > 9.3, "it does not play on", seconds=60)
        expect(message.inner_text() == "", "it is said while it plays:", message.inner_text())
    finally:
        tab.unroute("**/segment?*")
    browser.key("k")
    browser.blur()


def removed(browser, films):
    """A range that is removed is cut out of what is kept: in the preview, in the export, and in lists, of which LosslessCut's alone tells its kind."""
    tab = browser.tab
    add_copy(browser, films, "removed.mp4")
    # The film from its start on is a range of a person's own, and stays.
    browser.key("Home", "i", "n")
    browser.rest(0)
    set_range(browser, 2, 4)
    tab.locator(".ranges select").nth(1).select_option("remove")
    tab.locator(".ranges input").nth(1).fill("an advertisement")
    browser.blur()
    tab.get_by_label("Play what is kept").check()
    browser.blur()
    browser.key("Home", "ArrowRight")
    browser.wait_number(RATE)
    tab.evaluate("""() => { const v = document.querySelector("video"); window.times = []; const turn = () => { times.push(v.currentTime); if (!v.paused) requestAnimationFrame(turn); };
        v.addEventListener("play", () => requestAnimationFrame(turn), { once: true }); }""")
    browser.key(" ")
    until(lambda: tab.evaluate(NOW) > 4.5, "it is not played on", seconds=40)
    browser.key("k")
    tab.get_by_label("Play what is kept").uncheck()
    browser.blur()
    wrong = [at for at in tab.evaluate("times") if 2.2 < at < 3.9]
    expect(len(wrong) < 2, "what is removed is played:", wrong[:5])
    browser.export("passthrough", "removed-out.mp4")
    made = os.path.join(films, "removed-out.mp4")
    frames = int(ffprobe(made, "-count_frames", "-show_streams", "-select_streams", "v")["streams"][0]["nb_read_frames"])
    expect(frames == 10 * RATE, "the output has", frames, "frames")
    row = tab.locator("job-queue li", has_text="removed-out.mp4")
    row.get_by_role("button", name="Compare").click()
    tab.locator("dialog[data-exact=true]").wait_for(timeout=60_000)
    browser.key("Escape")
    tab.locator("dialog").wait_for(state="detached")
    before = ranges(tab)
    for kind, count, others in (("csv", 2, False), ("llc", 2, True)):
        with tab.expect_download() as download:
            tab.get_by_label("Save cuts").select_option(kind)
        path = os.path.join(browser.folder, download.value.suggested_filename)
        download.value.save_as(path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if others:
            segments = json.loads(text)["cutSegments"]
            expect(len(segments) == count and segments[1]["tags"] == {"interstitial": "remove"}, "LosslessCut's list is", text)
            tab.get_by_role("button", name="Remove this range").click()
            tab.locator("input[type=file][accept*='.llc']").set_input_files(path)
            until(lambda: ranges(tab) == before and tab.locator(".ranges select").nth(1).input_value() == "remove", "it does not come back")
        else:
            expect([line.split(",")[:2] for line in text.splitlines()] == [["0", "2"], ["4", "12"]], "the table of what is kept is", text)
        os.remove(path)
    # All of it: there is nothing to export, and that is said.
    tab.locator(".ranges select").nth(1).select_option("")
    tab.locator(".ranges select").nth(0).select_option("remove")
    browser.blur()
    message = tab.locator("preset-list .message")
    until(lambda: "Nothing is kept" in message.inner_text(), "where all is removed is said:", message.inner_text())
    tab.locator(".ranges select").nth(0).select_option("")
    until(lambda: not message.inner_text(), "where something is kept is said:", message.inner_text())
    browser.blur()


def first_range(browser, films):
    """The range that is the whole film gives way to the first that a person adds; the next ones are beside it."""
    tab = browser.tab
    add_copy(browser, films, "first.mp4")
    whole = "00:00:00.000 to 00:00:12.000, 12.000 s"
    expect(ranges(tab) == [whole], "the ranges of a film that nobody has edited are", ranges(tab))
    browser.key("Home", *["ArrowRight"] * 5, "n")
    until(lambda: ranges(tab) == ["00:00:05.000 to 00:00:12.000, 7.000 s"], "the first range is not added in the place of the whole film, but", ranges(tab))
    browser.key("Control+z")
    until(lambda: ranges(tab) == [whole], "undo:", ranges(tab))
    browser.key("Control+Shift+z", "ArrowRight", ",", "o", "Home", *["ArrowRight"] * 9, "n")
    wanted = ["00:00:05.000 to 00:00:06.000, 1.000 s", "00:00:09.000 to 00:00:12.000, 3.000 s"]
    until(lambda: ranges(tab) == wanted, "the second range is not beside the first, but", ranges(tab))
    for _ in wanted:
        tab.get_by_role("button", name="Remove this range").click()
    expect(ranges(tab) == [whole], "without ranges the film is", ranges(tab))
    # A part that is left out is such a first range too.
    browser.blur()
    browser.key("Home", *["ArrowRight"] * 4, "n")
    set_range(browser, 4, 6)
    tab.locator(".ranges select").select_option("remove")
    browser.blur()
    with tab.expect_download() as download:
        tab.get_by_label("Save cuts").select_option("csv")
    path = os.path.join(browser.folder, download.value.suggested_filename)
    download.value.save_as(path)
    with open(path, encoding="utf-8") as file:
        expect([line.split(",")[:2] for line in file.read().splitlines()] == [["0", "4"], ["6", "12"]], "what is kept is not the rest")
    os.remove(path)
    browser.blur()


def varied(browser, films):
    """At a variable rate the frame at rest has its exact number, no timecode, and its time; the last one is shown, and is in the range. A point
    set behind a frame is where the next one begins."""
    tab, kept = browser.tab, [n for n in range(12 * RATE) if n % 3 == 0 or n % 11 < 5]
    for name, words in (("varied.mp4", ["-c:v", "libx264", "-bf", "3", "-g", "30"]), ("uneven.mkv", ["-c:v", "libx264", "-bf", "3", "-g", "30"])):
        make("-i", os.path.join(films, "film.mp4"), "-vf", "select='not(mod(n,3))+lt(mod(n,11),5)'", "-fps_mode", "passthrough", "-an", *words, os.path.join(films, name))
        tab.locator(".files b", has_text=name).wait_for(timeout=30_000)
        choose(browser, name)
        expect(ranges(tab) == ["00:00:00.000 to 00:00:12.000, 12.000 s"], "the film is", ranges(tab))
        readout = tab.locator(".readout")

        def right(number):
            browser.wait_number(number)
            browser.rest(kept[number] // RATE)
            at = F(kept[number], RATE)
            expect(browser.seen() == kept[number], f"{name}: frame {number} is shown as {browser.seen()}, and is {kept[number]}")
            expect(readout.inner_text().split() == [f"00:00:{float(at):06.3f}", f"{float(at):.3f}", "s", "frame", str(number)], name, "says", readout.inner_text())
        right(0)
        browser.key(*["."] * 7)
        right(7)
        browser.key("g")
        tab.keyboard.type("103f")
        browser.key("Enter")
        right(103)
        browser.key("o")
        end = kept[104] / RATE
        until(lambda: ranges(tab) == [f"00:00:00.000 to 00:00:{end:06.3f}, {end:.3f} s"], "the end of frame 103 is", ranges(tab))
        browser.key("Control+z", "End")
        right(len(kept) - 1)
        browser.key("Home", "ArrowRight", "i")
        until(lambda: ranges(tab) == ["00:00:01.000 to 00:00:12.000, 11.000 s"], "the range is", ranges(tab))
        browser.key("End", "o")
        time.sleep(1)
        expect(ranges(tab) == ["00:00:01.000 to 00:00:12.000, 11.000 s"], "the last frame is not in the range", ranges(tab))
        browser.key("Home", " ")
        until(lambda: tab.evaluate(NOW) > 0.5, name, "does not play")
        expect("frame" not in readout.inner_text(), "while it plays a number is said:", readout.inner_text())
        browser.key("k")
    # Matroska rounds times to milliseconds: a step is a frame nevertheless, and twenty keys are twenty frames.
    make("-r", "30000/1001", "-i", os.path.join(films, "film.mp4"), "-an", "-c:v", "libx264", os.path.join(films, "ntsc.mkv"))
    tab.locator(".files b", has_text="ntsc.mkv").wait_for(timeout=30_000)
    choose(browser, "ntsc.mkv")
    for number in range(1, 8):
        browser.key(".")
        browser.wait_number(number)
    for key, number in ((".", 27), (",", 7)):
        tab.evaluate("""key => { for (let i = 0; i < 20; i++) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })); }""", key)
        browser.wait_number(number)
        browser.rest(0)
        expect(browser.seen() == number, f"frame {number} is shown as {browser.seen()}")
    choose(browser, "film.mp4")
