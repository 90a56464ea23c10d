"""A full disk, a film that is damaged, and a preview that fails: a sentence in place, with what to do; nothing of the edits is lost."""
import contextlib, os, random, shutil, subprocess, time
from fractions import Fraction as F

from trimdtest.paths import programs
from trimdtest.processes import run
from trimpage.browser import Browser, choose, expect, export_slowly, make
from trimpage.editing import ranges, set_range, until


@contextlib.contextmanager
def small_disk(browser, folder, name, film, room, daemon, environment, *options):
    """The page of a film on a disk of its own with so many bytes of room: the browser, the folder, and what fills the disk up. None of them
    where no disk can be mounted."""
    place = os.path.join(folder, name)
    os.mkdir(place)
    if os.geteuid() != 0 or run("mount", "-t", "tmpfs", "-o", f"size={os.path.getsize(film) + room}", "tmpfs", place).returncode != 0:
        print("page-check: a small disk cannot be mounted: left out")
        yield None, place, None
        return
    filler = os.path.join(place, "filler")

    def fill():
        with open(filler, "wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)) == 4096:
                    pass
            except OSError:
                pass
        return filler
    page = tab = None
    try:
        shutil.copy(film, os.path.join(place, "small.mp4"))
        page = subprocess.Popen([os.path.join(programs(), "trimctl"), "page", place, "--socket", daemon.socket, *options], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, env=environment, text=True)
        tab = browser.tab.context.new_page()
        small = Browser(tab, page.stdout.readline().strip(), folder)
        yield small, place, fill
        small.faults = [fault for fault in small.faults if "Failed to load resource" not in fault]
        expect(not small.faults, small.faults)
    finally:
        if tab:
            tab.close()
        if page:
            page.terminate()
            page.wait()
        run("umount", "-l", place)


def full(browser, folder, film, daemon, environment):
    """On a full disk the export says so, and goes on once there is room; ranges that cannot be saved beside the film stay in the browser."""
    with small_disk(browser, folder, "full", film, 3_000_000, daemon, environment, "--save", "llc") as (small, place, fill):
        if not small:
            return
        tab = small.tab
        set_range(small, 1, 11)
        wanted = ranges(tab)
        project = os.path.join(place, "small-proj.llc")
        until(lambda: os.path.exists(project), "the ranges are not saved")
        filler = fill()
        tab.wait_for_selector("input[name=preset][value='passthrough']", timeout=60_000)
        tab.locator("preset-list input[type=text]").fill("no-room.mp4")
        tab.locator("preset-list button.primary").click()
        row = tab.locator("job-queue li", has_text="no-room.mp4")
        until(lambda: row.count() and "make room" in row.inner_text(), "nothing is said about the full disk, but", tab.locator("job-queue").inner_text())
        print("page-check: of a full disk the page says:", row.inner_text().split("\n")[1])
        expect(not os.path.exists(os.path.join(place, "no-room.mp4")) and not [name for name in os.listdir(place) if "trimd" in name], "something is left behind:", os.listdir(place))
        # Ranges that are not saved are not lost.
        set_range(small, 2, 4)
        later = ranges(tab)
        expect(later != wanted, "the range is not changed")
        tab.wait_for_function("() => /space|full|room/.test(document.querySelector('#notice').textContent)", timeout=30_000)
        print("page-check: of ranges that are not saved it says:", tab.locator("#notice").inner_text())
        tab.reload()
        small.ready()
        expect(ranges(tab) == later, "after a reload the ranges are", ranges(tab), "not", later)
        os.remove(filler)
        small.key("Home", "n")
        until(lambda: os.path.getsize(project) > 0 and open(project).read().count('"start"') == 2 or tab.locator("#question button").count(), "with room the ranges are not saved")
        if tab.locator("#question button").count():
            tab.get_by_role("button", name="Replace them").click()
        until(lambda: open(project).read().count('"start"') == 2, "with room the ranges are not saved")
        tab.locator("job-queue li[data-status=completed]", has_text="no-room.mp4").wait_for(timeout=60_000)


def filled(browser, folder, film, daemon, environment):
    """A disk that fills up in the middle of an export: it is said in place, with what to do, nothing is left behind, the ranges stay, and with
    room the export is made."""
    with small_disk(browser, folder, "filled", film, 8_000_000, daemon, environment) as (small, place, fill):
        if not small:
            return
        tab = small.tab
        set_range(small, 1, 11)
        wanted = ranges(tab)
        row = export_slowly(tab, "midway.mp4")
        # It has begun, and has written a part.
        until(lambda: row.count() and row.locator("progress").is_visible() and row.locator("progress").evaluate("one => one.value") > 0.1, "the export does not begin", seconds=60)
        filler = fill()
        until(lambda: "make room" in row.inner_text() or row.get_attribute("data-status") in ("completed", "failed"), "nothing is said about the full disk, but", row.inner_text(), seconds=90)
        said = row.inner_text()
        expect("make room" in said, "of a disk that fills up the page says:", said)
        print("page-check: of a disk that fills up the page says:", said.split("\n")[1])
        expect(ranges(tab) == wanted, "the ranges are", ranges(tab))
        # The parts that are made wait for room, too, under hidden names.
        expect({name for name in os.listdir(place) if not name.startswith(".midway.mp4.trimd-")} == {"small.mp4", "filler"}, "something is left behind:", os.listdir(place))
        expect(os.path.getsize(os.path.join(place, "small.mp4")) == os.path.getsize(film), "the source was changed")
        tab.reload()
        small.ready()
        until(lambda: row.count() and "make room" in row.inner_text(), "after a reload is said:", tab.locator("job-queue").inner_text())
        expect(ranges(tab) == wanted, "after a reload the ranges are", ranges(tab))
        os.remove(filler)
        if row.get_attribute("data-status") == "failed":
            row.get_by_role("button", name="Try again").click()
        until(lambda: row.get_attribute("data-status") == "completed" or "make room" not in row.inner_text(), "with room it does not go on:", row.inner_text(), seconds=90)
        tab.locator("job-queue li[data-status=completed]", has_text="midway.mp4").wait_for(timeout=120_000)
        expect(set(os.listdir(place)) == {"small.mp4", "midway.mp4"}, "with room there are", os.listdir(place))


# A film whose bytes are overwritten in the middle: its name, how it is made, and how it is played.
DAMAGED = {
    "damaged.ts": (["-c:v", "mpeg2video", "-q:v", "3", "-c:a", "mp2"], "segments"), "damaged.mov": (["-c:v", "prores_ks", "-profile:v", "0", "-c:a", "pcm_s16le"], "segments"),
    "damaged.mp4": (["-c", "copy"], "native"),
}


def damaged(browser, films):
    """Where a film is damaged its preview goes on behind that, with a sentence in place; so it does where the browser's own playing ends there,
    and where a part cannot be made at all."""
    tab = browser.tab
    message = tab.locator(".screen .message")

    def seconds_in(words):
        return float(words.split("at 00:00:")[1][:6])

    def play_through(name, mode, end=None):
        choose(browser, name)
        found = tab.locator("trim-player").get_attribute("data-mode")
        expect(found == mode, name, "is played by", found)
        wanted = ranges(tab)
        tab.evaluate("document.querySelector('trim-player').seek(9)")
        browser.rest(F(89, 10))
        tab.evaluate("""() => { const v = document.querySelector("video"), message = document.querySelector(".screen .message"); const mine = window.told = [];
            const turn = () => { mine.push([v.currentTime, message.textContent, v.paused]); if (window.told === mine) requestAnimationFrame(turn); }; turn(); }""")
        browser.key(" ", "l")
        until(lambda: tab.evaluate("document.querySelector('video').currentTime") > 20.5, name, "does not play on behind the damage:", message.inner_text,
              lambda: tab.evaluate("(v => [v.currentTime, v.paused, v.error?.code, v.error?.message, v.readyState, v.seeking, [...Array(v.buffered.length).keys()].map(i => [v.buffered.start(i), v.buffered.end(i)])])(document.querySelector('video'))"), seconds=120)
        told = tab.evaluate("(all => { window.told = undefined; return all; })(told)")
        browser.key("k")
        words = {one for _, one, _ in told if one}
        at = [s for s, one, _ in told if "damaged" in one]
        print(f"page-check: {name}: from {min(at, default=0):.1f} to {max(at, default=0):.1f} s is said:", *words)
        expect(at and 11 < min(at) <= max(at) < 20.1, name, "says", words, "at", at[:1], at[-1:])
        # Time to read it, and no longer.
        late = [(s, one) for s, one, _ in told if "damaged" in one and s > (end or seconds_in(one)) + 3.3]
        expect(not late, name, "says it after its damage:", late[:1], late[-1:])
        expect(any("plays on" in one for one in words), name, "says", words)
        # On a busy machine it may be waited for, which is said too.
        expect(not any("damaged" in one for s, one, paused in told if (s < 11 or 20.1 < s) and not paused), name, "says it where nothing is damaged:", words)
        expect(ranges(tab) == wanted, "the ranges are", ranges(tab))
        tab.evaluate("at => document.querySelector('trim-player').seek(at)", min(at) + 0.2)
        browser.key(" ")
        until(lambda: "damaged" in message.inner_text(), "it is not said again, but", message.inner_text())
        tab.evaluate("document.querySelector('trim-player').seek(3)")
        until(lambda: not message.inner_text(), "elsewhere is said:", message.inner_text(), seconds=5)
        browser.key("k")

    source = os.path.join(films, "film.mp4")
    for name, (words, mode) in DAMAGED.items():
        path = os.path.join(browser.folder, name)
        make("-stream_loop", "1", "-i", source, *words, path)
        with open(path, "rb+") as file:
            file.seek(os.path.getsize(path) // 2)
            # Native, at places where no frame is compared before it is played.
            file.write(random.Random(1).randbytes(70_000 if mode == "native" else 200_000))
        os.rename(path, os.path.join(films, name))
        tab.locator(".files b", has_text=name).wait_for(timeout=60_000)
        # In the small file the bytes reach over two groups of frames.
        play_through(name, mode, end=16 if mode == "native" else None)
    # A part of which nothing decodes.
    tab.evaluate("""() => { const own = window.own = fetch, refusal = JSON.stringify({ error: { code: "undecodableMediaData", message: "no frame of track 0 decodes", remedy: "the file is damaged there" } });
        window.fetch = (path, options) => /segment\\?start=2[4-7]%2F2/.test(path) ? Promise.resolve(new Response(refusal, { status: 400 })) : own(path, options); }""")
    try:
        make("-stream_loop", "1", "-i", source, "-c:v", "mpeg2video", "-q:v", "3", "-c:a", "mp2", os.path.join(films, "hole.ts"))
        tab.locator(".files b", has_text="hole.ts").wait_for(timeout=60_000)
        play_through("hole.ts", "segments", end=14)
    finally:
        tab.evaluate("() => { window.fetch = own; }")
    browser.blur()


def broken(browser, films):
    """A segment that cannot be made is told where the picture is, with what to do; playing goes on once it can be made."""
    tab, path = browser.tab, os.path.join(films, "broken.ts")
    make("-stream_loop", "3", "-i", os.path.join(films, "film.mp4"), "-an", "-c:v", "mpeg2video", "-q:v", "3", path)
    tab.locator(".files b", has_text="broken.ts").wait_for(timeout=60_000)
    choose(browser, "broken.ts")
    set_range(browser, 1, 3)
    wanted, message = ranges(tab), tab.locator(".screen .message")
    browser.key("Home")
    browser.wait_number(0)
    browser.key(" ")
    until(lambda: tab.evaluate("document.querySelector('video').currentTime") > 0.3, "it does not play", seconds=60)
    os.rename(path, os.path.join(browser.folder, "broken.ts"))
    try:
        tab.evaluate("document.querySelector('trim-player').seek(30)")
        until(lambda: "try again" in message.inner_text(), "of a segment that fails is said:", message.inner_text())
        said = message.inner_text()
        until(lambda: tab.evaluate("document.querySelector('video').paused"), "it does not rest")
        time.sleep(1)
        expect("gone" in said and "try again" in message.inner_text(), "of a segment that fails is said:", said, "and later", message.inner_text())
        print("page-check: of a segment that fails the page says:", said)
        expect(ranges(tab) == wanted, "the ranges are", ranges(tab))
    finally:
        os.rename(os.path.join(browser.folder, "broken.ts"), path)
    browser.key(" ")
    until(lambda: tab.evaluate("document.querySelector('video').currentTime") > 30.5, "it does not play on", seconds=60)
    expect(message.inner_text() == "", "the message stays:", message.inner_text())
    browser.key("k")
    expect(ranges(tab) == wanted, "the ranges are", ranges(tab))
    browser.faults[:] = [fault for fault in browser.faults if "Failed to load resource" not in fault]
    browser.blur()
