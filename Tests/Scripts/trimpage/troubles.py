"""A full disk, and a preview that fails: a sentence in place, with what to do; nothing of the edits is lost."""
import os, shutil, subprocess, time

from trimdtest.paths import programs
from trimdtest.processes import run
from trimpage.browser import Browser, choose, expect, make
from trimpage.editing import ranges, set_range, until


def full(browser, folder, film, daemon, environment):
    """On a full disk the export says so, and goes on once there is room; ranges that cannot be saved beside the film stay in the browser."""
    place = os.path.join(folder, "full")
    os.mkdir(place)
    if os.geteuid() != 0 or run("mount", "-t", "tmpfs", "-o", f"size={os.path.getsize(film) + 3_000_000}", "tmpfs", place).returncode != 0:
        print("page-check: a small disk cannot be mounted: left out")
        return
    page = tab = None
    try:
        shutil.copy(film, os.path.join(place, "small.mp4"))
        page = subprocess.Popen([os.path.join(programs(), "trimctl"), "page", place, "--socket", daemon.socket, "--save", "llc"], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, env=environment, text=True)
        tab = browser.tab.context.new_page()
        small = Browser(tab, page.stdout.readline().strip(), folder)
        set_range(small, 1, 11)
        wanted = ranges(tab)
        project = os.path.join(place, "small-proj.llc")
        until(lambda: os.path.exists(project), "the ranges are not saved")
        filler = os.path.join(place, "filler")
        with open(filler, "wb", buffering=0) as file:
            try:
                while file.write(bytes(4096)) == 4096:
                    pass
            except OSError:
                pass
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
        small.faults = [fault for fault in small.faults if "Failed to load resource" not in fault]
        expect(not small.faults, small.faults)
    finally:
        if tab:
            tab.close()
        if page:
            page.terminate()
            page.wait()
        run("umount", "-l", place)


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
    browser.key(" ")
    expect(ranges(tab) == wanted, "the ranges are", ranges(tab))
    browser.faults[:] = [fault for fault in browser.faults if "Failed to load resource" not in fault]
    browser.blur()
