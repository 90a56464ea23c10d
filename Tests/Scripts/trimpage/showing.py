"""On the picture, and its shape: subtitles, the overlay of timecode, fit, fill and 1:1, pixels that are not square, rotation."""
import os

from trimdtest.paths import MEDIA
from trimdtest.processes import ffprobe, run
from trimpage.browser import RATE, choose, expect, make
from trimpage.editing import until

H264 = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-c:a", "aac"]
# Of each cue: its first frame, the frame after its last, and its text.
CUES = [(50, 75, "One"), (100, 137, "Two lines,\nof <b>one</b> cue"), (137, 150, "At once after")]


def add(browser, films, name):
    """Waits until the page has heard of a new file, and opens it."""
    browser.tab.locator(".files b", has_text=name).wait_for(timeout=60_000)
    choose(browser, name)


def shown_at(frame):
    return next((text.replace("<b>", "").replace("</b>", "") for first, end, text in CUES if first <= frame < end), "")


def to_frame(browser, frame):
    browser.key("Home", *["ArrowRight"] * (frame // RATE))
    browser.wait_number(frame // RATE * RATE)
    browser.key(*["."] * (frame % RATE))
    browser.wait_number(frame)


def subtitles(browser, films, film, kinds=("words.mp4", "words.mov"), is_brief=False):
    """A chosen track of text is shown on exactly the frames that it is for, at rest and while the film plays, natively and by segments."""
    tab, words = browser.tab, os.path.join(browser.folder, "words.srt")

    def clock(frame):
        return f"00:00:{frame // RATE:02},{frame % RATE * 40:03}"
    with open(words, "w", encoding="utf-8") as file:
        file.write("\n".join(f"{number}\n{clock(first)} --> {clock(end)}\n{text}\n" for number, (first, end, text) in enumerate(CUES, 1)))
    for name in kinds:
        video = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-c:a", "aac"] if name.endswith("mp4") else ["-c:v", "prores_ks", "-profile:v", "0", "-c:a", "pcm_s16le"]
        make("-i", film, "-i", words, "-t", "5" if is_brief else "9", "-map", "0:v", "-map", "0:a", "-map", "1", *video, "-c:s", "mov_text",
               "-metadata:s:s:0", "language=eng", os.path.join(films, name))
    for name in kinds:
        add(browser, films, name)
        mode = tab.locator("trim-player").get_attribute("data-mode")
        expect(mode == ("native" if name.endswith("mp4") else "segments"), name, "is played by", mode)
        cue, choice = tab.locator(".cue"), tab.locator("trim-player .controls").get_by_label("Subtitles")
        to_frame(browser, 60)
        expect(cue.inner_text() == "", "text is shown before a track is chosen")
        browser.key("c")
        chosen = choice.evaluate("one => one.selectedOptions[0].textContent")
        expect(chosen.startswith("Track 2: eng"), "by its key the track is chosen:", chosen)
        until(lambda: cue.inner_text() == "One", "the text of the frame at rest is", cue.inner_text())
        for frame in (50, 75) if is_brief else (49, 50, 74, 75, 100, 136, 137, 149, 150):
            to_frame(browser, frame)
            until(lambda: cue.inner_text() == shown_at(frame), f"{name}: at frame {frame} the text is", cue.inner_text(), seconds=2)
        last = 3.2 if is_brief else 6.2
        to_frame(browser, 25)
        tab.evaluate("""() => { const v = document.querySelector("video"), cue = document.querySelector(".cue"); const mine = window.told = [];
            const look = (now, { mediaTime }) => { requestAnimationFrame(() => requestAnimationFrame(() => mine.push([mediaTime, v.currentTime, cue.textContent]))); v.requestVideoFrameCallback(look); };
            v.requestVideoFrameCallback(look); }""")
        browser.key(" ")
        until(lambda: tab.evaluate("document.querySelector('video').currentTime") > last, name, "does not play", seconds=60)
        browser.key("k")
        told = [one for one in tab.evaluate("told") if one[0] > 1]
        # Two frames of the screen later the text is that of the picture, or already of the next one; that of the clock where a busy machine's
        # picture is far behind it.
        def around(seconds):
            return {shown_at(int(seconds * RATE + 0.5) + step) for step in (-1, 0, 1, 2)}
        wrong = [one for one in told if one[2] not in around(one[0]) | (around(one[1]) if one[1] - one[0] > 0.25 else set())]
        expect(len(told) > last * 6 and len(wrong) <= len(told) // 50, f"{name}: the text is not that of the picture:", wrong[:4], "of", len(told))
        expect({one[2] for one in told} == {"", *(shown_at(first) for first, _, _ in CUES if first < last * RATE)}, "the texts are", {one[2] for one in told})
        choice.select_option("")
        to_frame(browser, 60)
        expect(cue.inner_text() == "", "text is shown without a track")
    browser.blur()


# The brightest pixel of the upper and of the lower half of the picture: of the video, and of the frame at rest where it is shown.
BRIGHTEST = """() => [document.querySelector("video"), document.querySelector(".still")].map(from => {
  if (from.hidden || !(from.videoWidth || from.naturalWidth)) return null;
  const canvas = new OffscreenCanvas(320, 180), pen = canvas.getContext("2d");
  pen.drawImage(from, 0, 0, 320, 180);
  return [0, 90].map(top => Math.max(...pen.getImageData(0, top, 320, 90).data.filter((_, index) => index % 4 === 0)));
})"""


def drawn(browser, films):
    """Subtitles with their styles, and those that are pictures, are on the picture itself, at rest and while it plays; so is plain text
    while the film is shown in Picture in Picture."""
    tab, words = browser.tab, os.path.join(browser.folder, "styled.srt")
    with open(words, "w", encoding="utf-8") as file:
        file.write("1\n00:00:01,000 --> 00:00:03,000\n{\\an8}<i>Above</i>\n")
    grey = ["-f", "lavfi", "-i", "color=gray:s=640x360:r=25:d=6", "-f", "lavfi", "-i", "sine=f=300:d=6", "-i", words, "-map", "0", "-map", "1", "-map", "2", *H264]
    # AAC would begin before the first frame.
    make(*grey, "-c:a", "flac", "-c:s", "ass", os.path.join(films, "styled.mkv"))
    make(*grey, "-c:s", "mov_text", os.path.join(films, "away.mp4"))
    choice = tab.locator("trim-player .controls").get_by_label("Subtitles")

    def halves(index):
        found = tab.evaluate(BRIGHTEST)[index]
        return found and ["above" * (found[0] > 190), "below" * (found[1] > 190)]

    def play(to):
        browser.key(" ")
        until(lambda: tab.evaluate("document.querySelector('video').currentTime") > to, "it does not play", seconds=60)
    add(browser, films, "styled.mkv")
    choice.select_option("2d")
    expect(choice.evaluate("one => one.selectedOptions[0].textContent").endswith("with its styles"), "the choice is", choice.inner_text())
    tab.locator("trim-player[data-mode=segments]").wait_for(timeout=30_000)
    for frame, wanted in ((24, ["", ""]), (25, ["above", ""]), (74, ["above", ""]), (75, ["", ""])):
        to_frame(browser, frame)
        until(lambda: halves(1) == wanted, f"at frame {frame} the text is", halves(1), seconds=10)
    to_frame(browser, 25)
    play(1.5)
    until(lambda: halves(0) == ["above", ""], "while it plays the text is", halves(0), seconds=1)
    browser.key("k")
    expect(tab.locator(".cue").inner_text() == "", "the text is there twice")
    choice.select_option("")
    to_frame(browser, 50)
    until(lambda: halves(1) == ["", ""], "without a track the text stays")
    # Away from the page.
    add(browser, films, "away.mp4")
    choice.select_option("2")
    mode = tab.locator("trim-player").get_attribute("data-mode")
    expect(mode == "native", "the film is played by", mode)
    to_frame(browser, 50)
    expect(tab.locator(".cue").inner_text() == "Above" and halves(0) == ["", ""], "the text is no longer over the picture, but on it")
    if browser.has_window_of_picture:
        button = tab.get_by_role("button", name="Picture in picture")
        button.click()
        tab.locator("trim-player[data-mode=segments]").wait_for(timeout=30_000)
        until(lambda: "below" in (halves(0) or []) or "above" in (halves(0) or []), "the text is not on the picture that is away")
        expect(tab.evaluate("document.pictureInPictureElement?.localName") == "video", "picture in picture ends")
        button.click()
        tab.locator("trim-player[data-mode=native]").wait_for(timeout=30_000)
        until(lambda: halves(1) == ["", ""] and browser.number() == 50 and tab.locator(".cue").inner_text() == "Above", "the text does not come back over the picture")
    browser.blur()
    pictures = os.path.join(MEDIA, "sample_with_pgs_subtitles.mkv")
    if not os.path.exists(pictures):
        print(f"page-check: there is no {pictures}: subtitles of pictures are left out")
        return
    make("-i", pictures, "-map", "0", "-c", "copy", os.path.join(films, "pgs.mkv"))
    add(browser, films, "pgs.mkv")
    browser.key("Home", "ArrowRight")
    browser.rest(0.001)
    plain = tab.locator(".still").evaluate(PIXELS)
    browser.key("c")
    until(lambda: max(abs(a - b) for a, b in zip(plain, tab.locator(".still").evaluate(PIXELS))) > 60, "the pictures of the subtitles are not drawn")
    browser.key("c")
    until(lambda: tab.locator(".still").evaluate(PIXELS) == plain, "the pictures of the subtitles stay")
    browser.blur()


# The pixels of the frame at rest.
PIXELS = """from => { const pen = new OffscreenCanvas(160, 90).getContext("2d"); if (!from.naturalWidth) return [0]; pen.drawImage(from, 0, 0, 160, 90);
  return [...pen.getImageData(0, 0, 160, 90).data].filter((_, index) => index % 4 === 0); }"""


def overlay(browser, films):
    """The timecode over the picture, from the film's own, which drops two numbers each minute."""
    tab = browser.tab
    make("-f", "lavfi", "-i", "testsrc2=s=320x180:r=30000/1001:d=4", "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-timecode", "00:00:58;28",
           os.path.join(films, "code.mp4"))
    add(browser, films, "code.mp4")
    code = tab.locator(".tag.code")
    browser.key("Home")
    browser.wait_number(0)
    expect(not code.is_visible(), "the overlay is there unasked")
    browser.key("t")
    until(lambda: code.inner_text() == "00:00:58;28", "the timecode of the first frame is", code.inner_text())
    browser.key(*["."] * 31)
    browser.wait_number(31)
    until(lambda: code.inner_text() == "00:00:59;29", "the last timecode of the minute is", code.inner_text())
    browser.key(".")
    browser.wait_number(32)
    until(lambda: code.inner_text() == "00:01:00;02", "the first timecode of the next minute is", code.inner_text())
    tab.evaluate("""() => { const v = document.querySelector("video"), code = document.querySelector(".tag.code"); const mine = window.told = [];
        const look = (now, { mediaTime }) => { requestAnimationFrame(() => requestAnimationFrame(() => v.paused || mine.push([mediaTime, code.textContent]))); v.requestVideoFrameCallback(look); };
        v.requestVideoFrameCallback(look); }""")
    browser.key("Home")
    browser.wait_number(0)
    browser.key(" ")
    until(lambda: tab.evaluate("document.querySelector('video').currentTime") > 2, "it does not play")
    browser.key("k")

    def code_of(frame):
        number = frame + 58 * 30 + 28
        number += 2 if number >= 1800 else 0
        return f"00:{number // 1800:02}:{number // 30 % 60:02};{number % 30:02}"
    told = [(round(at * 30000 / 1001), words) for at, words in tab.evaluate("told")]
    wrong = [one for one in told if one[1] not in {code_of(one[0] + step) for step in (0, 1, 2, 3)}]
    expect(len(told) > 20 and len(wrong) <= len(told) // 20, "while it plays the timecodes are", wrong[:4], "of", len(told))
    browser.key("t")
    until(lambda: not code.is_visible(), "the overlay stays")
    browser.blur()


def shapes(browser, films, film):
    """Pixels that are not square and rotated films have their shape, played and at rest; fit, fill and 1:1."""
    tab = browser.tab
    make("-f", "lavfi", "-i", "testsrc2=s=720x576:r=25:d=2,setsar=64/45", "-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", os.path.join(films, "wide.mp4"))
    make("-f", "lavfi", "-i", "testsrc2=s=720x576:r=25:d=2,setsar=64/45", "-c:v", "mpeg2video", "-q:v", "4", os.path.join(films, "wide.ts"))
    upright = os.path.join(films, "upright.mp4")
    make("-display_rotation", "90", "-i", film, "-t", "2", "-c", "copy", upright) if has_rotation_option() else rotate(film, upright)
    for name, wide in (("wide.mp4", 16 / 9), ("wide.ts", 16 / 9), ("upright.mp4", 9 / 16)):
        add(browser, films, name)
        browser.key("Home")
        browser.rest(0)
        # By segments the exact frame may be here before the first of them.
        until(lambda: tab.evaluate("document.querySelector('.screen video').readyState > 0"), name, "has no preview", seconds=60)
        found = tab.evaluate("(([v, i]) => [v.videoWidth / v.videoHeight, i.naturalWidth / i.naturalHeight])([document.querySelector('.screen video'), document.querySelector('.still')])")
        expect(all(abs(one / wide - 1) < 0.03 for one in found), f"{name}: played and at rest the shapes are", found, "not", wide)
    row = tab.locator(".files button", has=tab.locator("b", has_text="upright.mp4"))
    until(lambda: "360×640" in row.inner_text(), "of a rotated film the library says:", row.inner_text())
    choose(browser, "film.mp4")
    browser.key("Home", "ArrowRight")
    browser.wait_number(RATE)
    size = tab.get_by_label("Picture size")

    def boxes():
        return tab.evaluate("['.still', '.screen video', '.screen'].map(one => (({ left, top, width, height }) => [left, top, width, height])(document.querySelector(one).getBoundingClientRect()))")
    size.select_option("fill")
    expect(tab.evaluate("getComputedStyle(document.querySelector('.still')).objectFit") == "cover", "the screen is not filled")
    tab.set_viewport_size({"width": 500, "height": 900})
    size.select_option("one")
    ratio = tab.evaluate("devicePixelRatio")
    until(lambda: [round(one * ratio) for one in boxes()[0][2:]] == [640, 360] == [round(one * ratio) for one in boxes()[1][2:]], "1:1 is", boxes())
    browser.blur()
    left = boxes()[0][0]
    browser.key("Shift+ArrowRight")
    until(lambda: boxes()[0][0] < left - 3, "the picture is not moved by keys:", boxes())
    tab.set_viewport_size({"width": 1280, "height": 900})
    until(lambda: abs(boxes()[0][0] + boxes()[0][2] / 2 - boxes()[2][0] - boxes()[2][2] / 2) < 2, "a small picture is not in the middle:", boxes())
    size.select_option("fit")
    until(lambda: browser.seen() == RATE, "the picture does not fit again")
    browser.blur()


def has_rotation_option():
    """Whether this ffmpeg writes rotations itself (6 and later)."""
    return run("ffmpeg", "-v", "error", "-display_rotation", "90", "-f", "lavfi", "-i", "color=s=16x16:d=0.1", "-f", "null", "-").returncode == 0


def rotate(film, output):
    """As a telephone writes it: the matrix in the track's header."""
    make("-i", film, "-t", "2", "-c", "copy", "-metadata:s:v:0", "rotate=90", output)
    sides = [one for stream in ffprobe(output, "-show_streams")["streams"] for one in stream.get("side_data_list", [])]
    expect(any(one.get("rotation") for one in sides), "the film is not rotated:", sides)


def cues_of_strangers(browser, films):
    """Text of a file is text: nothing of it becomes an element."""
    words, tab = os.path.join(browser.folder, "evil.ass"), browser.tab
    with open(words, "w", encoding="utf-8") as file:
        file.write("[Script Info]\nScriptType: v4.00+\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize\nStyle: Default,Sans,20\n[Events]\n"
                   "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
                   "Dialogue: 0,0:00:00.00,0:00:02.00,Default,,0,0,0,,<img src=x onerror=document.title='pwned'>\n")
    make("-i", os.path.join(films, "film.mp4"), "-i", words, "-t", "2", "-map", "0:v", "-map", "1", "-c:v", "copy", "-c:s", "ass", os.path.join(films, "evil.mkv"))
    add(browser, films, "evil.mkv")
    browser.key("Home", "c")
    until(lambda: "<img" in tab.locator(".cue").inner_text(), "the text is not shown as it is:", tab.locator(".cue").inner_text())
    expect(tab.evaluate("document.querySelectorAll('.cue *').length") == 0 and tab.evaluate("document.title") == "evil.mkv – trimd", "text became an element")
