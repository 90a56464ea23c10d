"""A person's hands: shuttle, wheel, speed and volume; zoom, handles and what points snap to; touch; what is kept, played; a picture that is
dropped; a job tried again."""
import os, time
from fractions import Fraction as F

from trimpage.browser import RATE, cancel, choose, expect, export_slowly, make
from trimpage.editing import ranges, set_range, until
from trimpage.exporting import add_copy

FRAMES = "document.querySelector('video').currentTime"


def shuttle(browser):
    """J, K and L go back, rest and go on, faster when pressed again; the wheel steps frames; speed and volume are the browser's own."""
    tab = browser.tab
    choose(browser, "film.mp4")
    browser.key("Home", *["ArrowRight"] * 4)
    browser.wait_number(4 * RATE)
    browser.key("l")
    until(lambda: tab.evaluate(FRAMES) > 4.2, "L does not play")
    browser.key("l")
    expect(tab.evaluate("document.querySelector('video').playbackRate") == 2, "L again is not faster")
    browser.key("k")
    until(lambda: tab.evaluate("document.querySelector('video').paused") and browser.number() > 4 * RATE, "K does not rest")
    browser.rest(4)
    at = browser.number()
    expect(browser.seen() == at, "the frame at rest is", browser.seen(), "and the page says", at)
    browser.key("j")
    until(lambda: 0 <= browser.number() < at - 5, "J does not go back")
    browser.key("k")
    time.sleep(0.5)
    at = browser.number()
    time.sleep(0.7)
    expect(browser.number() == at == browser.seen(), "K does not stop what goes back:", at, browser.number())
    box = tab.locator(".screen").bounding_box()
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for way, wanted in ((100, at + 1), (-100, at)):
        tab.mouse.wheel(0, way)
        browser.wait_number(wanted)
    speed = tab.get_by_label("Speed")
    speed.select_option("0.5")
    expect(tab.evaluate("document.querySelector('video').playbackRate") == 0.5, "the speed is not that of the video")
    browser.blur()
    # It is played so, and the choice says what the keys do.
    browser.key(" ")
    until(lambda: not tab.evaluate("document.querySelector('video').paused"), "it does not play")
    expect(tab.evaluate("document.querySelector('video').playbackRate") == 0.5, "it plays at", tab.evaluate("document.querySelector('video').playbackRate"))
    browser.key("l", "l")
    until(lambda: speed.input_value() == "2", "the speed that is said is", speed.input_value(), seconds=5)
    browser.key("k")
    until(lambda: speed.input_value() == "0.5", "at rest the speed that is said is", speed.input_value(), seconds=5)
    speed.select_option("1")
    tab.get_by_label("Volume").focus()
    browser.key("ArrowLeft", "ArrowLeft")
    expect(abs(tab.evaluate("document.querySelector('video').volume") - 0.9) < 0.01, "the volume is", tab.evaluate("document.querySelector('video').volume"))
    browser.blur()


def starts(browser):
    """The first point of the range as the page says it."""
    return F(ranges(browser.tab)[0].split(" to ")[0].split(":")[-1])


def points(browser, films):
    """The timeline zooms to single frames; points snap to keyframes and chapters; handles go where a pointer or a finger takes them."""
    tab = browser.tab
    facts = os.path.join(browser.folder, "chapters.txt")
    with open(facts, "w", encoding="utf-8") as file:
        file.write(";FFMETADATA1\n" + "".join(f"[CHAPTER]\nTIMEBASE=1/1000\nSTART={start}\nEND={end}\ntitle={title}\n" for start, end, title in ((0, 5000, "One"), (5000, 12000, "Two"))))
    make("-i", os.path.join(films, "lists.mp4"), "-i", facts, "-map", "0", "-map_metadata", "1", "-c", "copy", os.path.join(films, "chapters.mp4"))
    tab.locator(".files b", has_text="chapters.mp4").wait_for(timeout=30_000)
    choose(browser, "chapters.mp4")

    def go(frame):
        browser.key("Home", *["ArrowRight"] * (frame // RATE))
        browser.wait_number(frame // RATE * RATE)
        browser.key(*["."] * (frame % RATE))
        browser.wait_number(frame)
    snap = tab.get_by_label("Points snap to")
    for way, wanted in (("frames", F(62, RATE)), ("keyframes", 2), ("chapters", 0)):
        snap.select_option(way)
        browser.blur()
        go(62)
        browser.key("i")
        until(lambda: starts(browser) == wanted, f"a point that snaps to {way} is at", ranges(tab)[0])
    expect("One" in tab.locator(".readout").inner_text(), "the chapter is said to be", tab.locator(".readout").inner_text())
    go(125)
    expect("Two" in tab.locator(".readout").inner_text(), "the chapter is said to be", tab.locator(".readout").inner_text())
    go(120)
    browser.key("i")
    until(lambda: starts(browser) == 5, "the point is not at the chapter, but at", ranges(tab)[0])
    snap.select_option("frames")
    browser.blur()
    tab.get_by_role("button", name="All", exact=True).click()
    whole = tab.evaluate("document.querySelector('trim-timeline').span")
    for _ in range(8):
        tab.get_by_role("button", name="Zoom in").click()
    near = tab.evaluate("document.querySelector('trim-timeline').span")
    expect(abs(whole - 12) < 0.1 and near <= 0.21, "the timeline shows", whole, "s, and nearer", near)
    tab.get_by_role("button", name="All", exact=True).click()
    # The handles are where they are drawn next.
    time.sleep(0.5)
    track = tab.locator(".track").bounding_box()

    def place(selector, seconds):
        box = tab.locator(selector).bounding_box()
        return box["x"] + box["width"] / 2, track["y"] + 30, track["x"] + track["width"] * seconds / 12

    def at(seconds):
        return lambda: abs(starts(browser) - seconds) < F(1, 10) and starts(browser) * RATE % 1 == 0
    x, y, to = place(".handle.start", 3)
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(to, y, steps=8)
    tab.mouse.up()
    until(at(3), "by the pointer the point is at", ranges(tab)[0])
    # The frame of the point may be known before its picture is here.
    until(lambda: browser.seen() == starts(browser) * RATE, "the frame that is seen is not that of the point at", ranges(tab)[0], seconds=10)
    touch = tab.context.new_cdp_session(tab)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        x, y, to = place(".handle.start", 7)

        def finger(word, *where):
            touch.send("Input.dispatchTouchEvent", {"type": word, "touchPoints": [{"x": where[0], "y": where[1]}] if where else []})
        finger("touchStart", x, y)
        for step in range(1, 9):
            finger("touchMove", x + (to - x) * step / 8, y)
        finger("touchEnd")
        until(at(7), "by a finger the point is at", ranges(tab)[0])
        box = tab.get_by_role("button", name="Play", exact=True).bounding_box()
        finger("touchStart", box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        finger("touchEnd")
        until(lambda: not tab.evaluate("document.querySelector('video').paused"), "a finger does not play")
    finally:
        touch.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    browser.key("k")
    browser.blur()


def wheel(browser):
    """The wheel over the timeline zooms at the pointer until single frames can be pressed, and pans, with the shift key or to the side."""
    tab = browser.tab
    choose(browser, "film.mp4")
    browser.key("Home", *["ArrowRight"] * 6)
    browser.wait_number(6 * RATE)
    tab.get_by_role("button", name="All", exact=True).click()
    browser.blur()
    box = tab.locator(".track").bounding_box()

    def view():
        """The first second on the timeline, and how many it shows: the position is known, and where it is drawn."""
        time.sleep(0.3)
        span, x = tab.evaluate("(t => [t.span, new DOMMatrix(t.head.style.transform).e / t.track.clientWidth])(document.querySelector('trim-timeline'))")
        return browser.number() / RATE - x * span, span
    left, middle = box["x"] + 1, box["x"] + box["width"] / 2
    tab.mouse.move(middle, box["y"] + 30)
    for _ in range(6):
        tab.mouse.wheel(0, -100)
    first, span = view()
    expect(abs(span - 12 * 0.8 ** 6) < 0.01 and abs(first + span / 2 - 6) < 0.02, "nearer by the wheel it shows", span, "s from", first)
    wide = box["width"] - 2
    move = round(wide / 4)
    for keys, way, to in (("", (move, 0), 1), ("", (-move, 0), 0), ("Shift", (0, move), 1), ("Shift", (0, -move), 0)):
        if keys:
            tab.keyboard.down(keys)
        tab.mouse.wheel(*way)
        if keys:
            tab.keyboard.up(keys)
        now, still = view()
        expect(abs(now - first - to * span * move / wide) < 0.02 and abs(still - span) < 1e-6, f"panned by {keys} {way} it begins at", now, "not", first + to * span * move / wide, "and shows", still)
    for _ in range(40):
        tab.mouse.wheel(0, -100)
    # The position may be beside what is shown by now.
    tab.mouse.click(middle, box["y"] + 30)
    time.sleep(0.7)
    first, span = view()
    expect(abs(span - 0.2) < 1e-6 and first < 6.1 and first + span > 5.9, "next it shows", span, "s from", first)
    for frame in range(int(first * RATE) + 1, int((first + span) * RATE)):
        tab.mouse.click(left + wide * ((frame + 0.5) / RATE - first) / span, box["y"] + 30)
        browser.wait_number(frame)
        expect(browser.seen() == frame, "the frame that is pressed is", frame, "and", browser.seen(), "is shown")
    tab.get_by_role("button", name="All", exact=True).click()
    browser.blur()


def ahead(browser, films):
    """In a film with long groups of frames a step costs no decode of its own: a dozen frames beside the one at rest were made by one."""
    tab, single, several = browser.tab, [], []
    path = os.path.join(films, "long.mp4")
    make("-i", os.path.join(films, "film.mp4"), "-c:v", "libx264", "-preset", "veryfast", "-g", "300", "-keyint_min", "300", "-sc_threshold", "0", "-c:a", "copy", path)
    choose(browser, "long.mp4")

    def note(request):
        if "/thumbnails?" in request.url and "width=" in request.url and "key=" not in request.url:
            (several if "%2C" in request.url else single).append(request.url)
    tab.on("requestfinished", note)
    try:
        browser.key("Home", *["ArrowRight"] * 8)
        browser.wait_number(8 * RATE)
        # After a moment at rest they are here, whatever else is.
        until(lambda: tab.evaluate("1") and any("width=" in url for url in several), "no frames are made ahead", seconds=30)
        time.sleep(1)
        del single[:]
        for keys, way in ((["."] * 10, 1), ([","] * 12, -1)):
            for _ in keys:
                at = browser.number()
                browser.key(keys[0])
                browser.wait_number(at + way)
            shown = browser.seen()
            expect(shown == browser.number(), "the frame that is seen is", shown, "and the page says", browser.number())
        expect(len(single) <= 1, "steps asked for frames of their own:", single)
    finally:
        tab.remove_listener("requestfinished", note)
    os.remove(path)
    choose(browser, "film.mp4")


def leaps(browser, films):
    """"Play what is kept" leaps over the rest, and rests at its end; natively and by segments."""
    tab = browser.tab
    add_copy(browser, films, "leaps.mp4")
    # Without sound, which may begin before the first frame.
    make("-i", os.path.join(films, "leaps.mp4"), "-an", "-c:v", "mpeg2video", "-q:v", "3", os.path.join(films, "leaps.ts"))
    for name in ("leaps.mp4", "leaps.ts"):
        tab.locator(".files b", has_text=name).wait_for(timeout=60_000)
        choose(browser, name)
        set_range(browser, 2, 4)
        browser.key("Home", *["ArrowRight"] * 7, "n")
        set_range(browser, 7, 9)
        tab.get_by_label("Play what is kept").check()
        browser.blur()
        browser.key("Home")
        browser.wait_number(0)
        tab.evaluate("""() => { const v = document.querySelector("video"); window.times = []; const turn = () => { times.push(v.currentTime); if (!v.paused) requestAnimationFrame(turn); };
            v.addEventListener("play", () => requestAnimationFrame(turn), { once: true }); }""")
        browser.key(" ")
        until(lambda: tab.evaluate("document.querySelector('video').paused && times.length > 0 && times.at(-1) > 8.5"), name, "does not come to the end of what is kept, but to",
              tab.evaluate(FRAMES), seconds=60)
        times = tab.evaluate("times")
        rest = [at for at in times if 0.3 < at < 1.9 or 4.25 < at < 6.9 or at > 9.25]
        # One turn of a busy machine may be late.
        expect(len(rest) < 2, name, "plays what is removed:", rest[:5])
        expect(all(sum(a < at < b for at in times) > 10 for a, b in ((2, 4), (7, 9))), name, "does not play what is kept:", times[::10])
        tab.get_by_label("Play what is kept").uncheck()
        browser.blur()


def meanwhile(browser):
    """Keys while a film plays, natively and by segments: the end and the next frame are rested at, a range is gone to and played."""
    tab = browser.tab
    now = "document.querySelector('video').currentTime"

    def play():
        browser.key("Home")
        browser.wait_number(0)
        browser.key(" ")
        until(lambda: tab.evaluate(now) > 2, "it does not play", seconds=60)
    for name in ("film.mp4", "other.ts"):
        choose(browser, name)
        play()
        browser.key("End")
        until(lambda: browser.number() >= 12 * RATE - 2, name, "does not go to its end, but rests at", browser.number())
        play()
        browser.key(".")
        until(lambda: browser.number() > 0 and tab.locator(".still").is_visible(), name, "does not rest")
        at = browser.number()
        time.sleep(0.5)
        expect(browser.number() == at == browser.seen(), name, "rests at", at, "and then at", browser.number(), "and shows", browser.seen())
        play()
        tab.evaluate("document.querySelector('.ranges button').click()")
        until(lambda: tab.evaluate(f"({now} < 2) && !document.querySelector('video').paused"), name, "is not played from the range's start, but at", tab.evaluate(now))
        browser.key("k")
    browser.blur()


def places(browser):
    """A time that is typed, in any spelling, is gone to; of what is none the page says so."""
    tab, message = browser.tab, browser.tab.locator(".screen .message")
    choose(browser, "film.mp4")

    def go(words):
        browser.key("g")
        tab.keyboard.type(words)
        browser.key("Enter")
    for words, frame in (("0:04", 100), ("150f", 150), ("end-2", 250), ("00:00:06:10", 160)):
        go(words)
        browser.wait_number(frame)
    expect(browser.seen() == 160, "the frame that is seen is", browser.seen())
    go("soon")
    until(lambda: "'soon' is not a time" in message.inner_text(), "of a time that is none is said:", message.inner_text())
    expect(browser.number() == 160, "it goes to", browser.number())
    browser.key(".")
    browser.wait_number(161)
    expect(not message.inner_text(), "the message stays:", message.inner_text())
    browser.faults[:] = [fault for fault in browser.faults if "Failed to load resource" not in fault]
    browser.blur()


def refused(browser, films):
    """A file that does not open leaves the one before as it is, by name too; on a telephone whoever chooses a film is led to it."""
    tab, name = browser.tab, "unreadable.mp4"
    with open(os.path.join(films, name), "wb") as file:
        file.write(b"\x00\x00\x00\x18ftypisom" + bytes(4000))
    tab.locator(".files b", has_text=name).wait_for(timeout=30_000)
    size = tab.viewport_size
    tab.set_viewport_size({"width": 360, "height": 700})
    try:
        choose(browser, "lists.mp4")
        before = ranges(tab)
        tab.locator(".files button", has_text=name).click()
        tab.locator("#notice", has_text=name).wait_for(timeout=30_000)
        browser.ready()
        facts = [tab.locator("#film").inner_text(), tab.title(), tab.locator(".files [aria-current] b").inner_text()]
        expect(facts == ["lists.mp4", "lists.mp4 – trimd", "lists.mp4"], "the film that is open is called", facts)
        expect(ranges(tab) == before, "the ranges are", ranges(tab))
        for one in ("#notice", ".screen"):
            top = tab.locator(one).bounding_box()["y"]
            expect(0 <= top < 400, one, "is out of sight, at", top)
    finally:
        tab.set_viewport_size(size)
    os.remove(os.path.join(films, name))
    browser.faults[:] = [fault for fault in browser.faults if "Failed to load resource" not in fault]
    browser.blur()


def motion(browser):
    """Who asks for less motion gets none."""
    tab = browser.tab
    moving = """() => [...document.querySelectorAll("*")].filter(one => { const style = getComputedStyle(one);
        return style.transitionDuration.split(",").some(time => parseFloat(time) > 0) || style.animationName !== "none" || style.scrollBehavior === "smooth"; }).length"""
    browser.unfold()
    try:
        tab.emulate_media(reduced_motion="no-preference")
        expect(tab.evaluate(moving) > 0, "nothing moves with motion, so that nothing is seen without")
        tab.emulate_media(reduced_motion="reduce")
        expect(tab.evaluate(moving) == 0, "something moves all the same:", tab.evaluate(moving))
    finally:
        tab.emulate_media(reduced_motion="null")


def focus(browser):
    """After a click on a button, a choice or a box, keys mean the player; who came there by keys uses it by keys. Esc leaves a field."""
    tab = browser.tab
    choose(browser, "film.mp4")
    browser.key("Home", "ArrowRight")
    browser.wait_number(RATE)
    tab.get_by_role("button", name="Zoom in").click()
    browser.key("ArrowRight")
    browser.wait_number(2 * RATE)
    for label, value in (("Speed", "1"), ("Points snap to", "frames")):
        tab.get_by_label(label).select_option(value)
        tab.get_by_label(label).focus()
        browser.key("i")
        until(lambda: starts(browser) == 2, "I is swallowed by", label, ranges(tab)[0])
        browser.key("Control+z", " ")
        until(lambda: not tab.evaluate("document.querySelector('video').paused"), "Space is swallowed by", label)
        browser.key("k")
        until(lambda: tab.evaluate("document.querySelector('video').paused"), "K is swallowed by", label)
        browser.blur()
        browser.key("Home", "ArrowRight", "ArrowRight")
        browser.wait_number(2 * RATE)
    # By keys a button is a button.
    browser.tab_to("trim-timeline button")
    browser.key(" ")
    expect(tab.evaluate("document.querySelector('video').paused"), "Space on a button that has the focus by keys plays the film")
    browser.blur()
    browser.key("g")
    tab.keyboard.type("7")
    browser.key("Escape")
    expect(tab.evaluate("document.activeElement === document.body"), "Esc does not leave the field")
    time.sleep(0.5)
    expect(browser.number() == 2 * RATE, "Esc goes to what was typed:", browser.number())


def orders(browser, films):
    """Presets that do not fit say why; a picture that is dropped is the artwork; a job that was cancelled is tried again, and outlasts a reload."""
    tab = browser.tab
    make("-i", os.path.join(films, "film.mp4"), "-t", "2", "-c", "copy", "-an", os.path.join(films, "mute.mp4"))
    tab.locator(".files b", has_text="mute.mp4").wait_for(timeout=30_000)
    choose(browser, "mute.mp4")
    browser.unfold()
    tab.locator("preset-list details li").first.wait_for(state="attached", timeout=60_000)
    reasons = tab.locator("preset-list details li").all_inner_texts()
    expect(any(words.startswith("m4a") for words in reasons) and all(len(words) > 20 for words in reasons), "the reasons are", reasons)
    choose(browser, "film.mp4")
    tab.evaluate("""async () => { const canvas = new OffscreenCanvas(40, 30), pen = canvas.getContext("2d"); pen.fillStyle = "red"; pen.fillRect(0, 0, 40, 30);
        const carried = new DataTransfer(); carried.items.add(new File([await canvas.convertToBlob({ type: "image/png" })], "red.png", { type: "image/png" }));
        document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true })); }""")
    tab.locator(".drop img[src^=blob]").wait_for(timeout=30_000)
    tab.get_by_role("button", name="Not this picture").click()
    row = export_slowly(tab, "again.mp4")
    row.get_by_role("button", name="Cancel").click(timeout=60_000)
    row.get_by_role("button", name="Try again").click(timeout=60_000)
    row.get_by_role("button", name="Cancel").wait_for(timeout=60_000)
    tab.reload()
    browser.ready()
    cancel(browser, row, "again.mp4")
