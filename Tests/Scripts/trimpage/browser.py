"""A film with numbered frames, and the page in a tab that is used by keys."""
import contextlib, http.client, json, os, shutil, time
from fractions import Fraction as F

from trimdtest.paths import ROOT
from trimdtest.processes import ffmpeg, run

RATE, BITS, W, H = 25, 12, 640, 360


def find_playwright():
    """Playwright's interface, also from the environment that `make test-page` makes; None: it is not here."""
    import glob, sys
    sys.path += glob.glob(os.path.join(ROOT, ".build/page-python/lib/python3*/site-packages"))
    try:
        from playwright.sync_api import sync_playwright
        return sync_playwright
    except ImportError:
        return None


PROGRAMS = {"chromium": "chromium", "firefox": "firefox-esr"}


def launch(runner, kind):
    """A browser of Debian, no browser that Playwright would download: chromium, or Firefox, which listens to WebDriver BiDi itself."""
    program = shutil.which(PROGRAMS[kind])
    if kind == "firefox":
        return runner.firefox.launch(channel="moz-firefox", executable_path=program, firefox_user_prefs={"browser.download.alwaysOpenPanel": False})
    return runner.chromium.launch(executable_path=program, args=["--no-sandbox"] if os.geteuid() == 0 else [])


def make_film(path, seconds, *words):
    """Moving bars; above them a stripe of squares, the lowest bit of the frame's number leftmost."""
    square = W // BITS
    ffmpeg("-f", "lavfi", "-i", f"testsrc2=s={W}x{H - 40}:r={RATE}:d={seconds}", "-f", "lavfi",
           "-i", f"nullsrc=s={W}x40:r={RATE}:d={seconds},geq=lum='255*mod(floor(N/pow(2,floor(X/{square}))),2)':cb=128:cr=128",
           "-f", "lavfi", "-i", f"anoisesrc=d={seconds}:c=pink:r=48000:a=0.5:seed=3,lowpass=f=3000",
           "-filter_complex", "[1][0]vstack,format=yuv420p[v]", "-map", "[v]", "-map", "2:a", *words, path)


def make(*words):
    """Makes a film that the page hears of once it is whole."""
    folder, name = os.path.split(words[-1])
    hidden = os.path.join(folder, "." + name)
    ffmpeg(*words[:-1], hidden)
    os.rename(hidden, words[-1])


# The words and the state of the page, for those who look for the cause of a failure.
STATE = """(() => { const text = one => document.querySelector(one)?.textContent, { currentTime, paused, ended, seeking, readyState } = document.querySelector("video");
  return [text(".readout"), text(".screen .message"), text("#notice"), text(".proposal"), text("job-queue .message"), { currentTime, paused, ended, seeking, readyState }, document.activeElement?.outerHTML.slice(0, 80)]; })()"""


# Where something is from the focus: 0 there, 1 behind it, -1 before it; null where the focus is nowhere.
WHERE = """selector => { const from = document.activeElement, to = document.querySelector(selector);
  return from?.matches(selector) ? 0 : !from || from === document.body ? null : to && from.compareDocumentPosition(to) & Node.DOCUMENT_POSITION_PRECEDING ? -1 : 1; }"""


class Failure(Exception):
    """Something that does not hold."""


def expect(holds, *words):
    if not holds:
        raise Failure(" ".join(map(str, words)))


# By its hash, the style `body {}` with which Playwright prepares a screenshot: the page allows no such styles, and Firefox reports it.
PLAYWRIGHT_STYLE = "sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT+SmwNZWA="


class Browser:
    """The page in a tab, used by keys."""

    def __init__(self, tab, address, folder):
        self.tab, self.folder = tab, folder
        self.is_chromium = tab.context.browser.browser_type.name == "chromium"
        self.faults = []
        tab.on("pageerror", lambda error: self.faults.append(f"an error of the page: {error}") if PLAYWRIGHT_STYLE not in str(error) else None)
        tab.on("console", lambda said: self.faults.append(f"the console: {said.text} {said.location.get('url', '')}") if said.type == "error" else None)
        tab.on("dialog", lambda dialog: (self.faults.append("a dialog"), dialog.dismiss()))
        tab.goto(address)
        self.ready()

    def plays(self, kind):
        """Whether the browser says that it plays a type."""
        return self.tab.evaluate("kind => document.createElement('video').canPlayType(kind) !== ''", kind)

    @property
    def has_window_of_picture(self):
        """Whether there is picture in picture; in Firefox its window has the focus from then on, and the page gets no more keys."""
        return self.is_chromium and self.tab.evaluate("document.pictureInPictureEnabled")

    def ready(self):
        self.tab.wait_for_selector("body[data-ready]:not([data-ready=''])", timeout=90_000)

    def key(self, *keys):
        """Presses keys. To rest it is K: the space key would play anew where the film has ended meanwhile."""
        for key in keys:
            self.tab.keyboard.press(key)

    def number(self):
        """The frame's number as the page says it, once it is at rest."""
        return int(self.tab.locator(".readout").get_attribute("data-number") or -1)

    def wait_number(self, wanted, seconds=60):
        end = time.monotonic() + seconds
        while self.number() != wanted:
            expect(time.monotonic() < end, "the player does not come to rest at frame", wanted, "but says", self.tab.evaluate(STATE))
            time.sleep(0.03)

    def rest(self, after):
        """The time of the frame at rest, once it is not before some seconds; exact."""
        end = time.monotonic() + 60
        while True:
            spelled = self.tab.locator(".readout").get_attribute("data-time")
            if spelled and after <= F(spelled) < after + 1 and self.tab.locator(".still").is_visible():
                time.sleep(0.3)
                return F(spelled)
            expect(time.monotonic() < end, "the player does not come to rest at", after, "but at", spelled)
            time.sleep(0.05)

    def seen(self):
        """The number of the frame that is on the screen, read from its squares."""
        shot = os.path.join(self.folder, "seen.png")
        self.tab.locator(".screen").screenshot(path=shot)
        width, height = self.tab.evaluate("(s => [s.clientWidth, s.clientHeight])(document.querySelector('.screen'))")
        # The film lies in the middle of the screen, as large as it fits.
        scale = min(width / W, height / H)
        left, top = (width - W * scale) / 2, (height - H * scale) / 2
        raw = run("ffmpeg", "-v", "error", "-i", shot, "-vf", f"scale={width}:{height},format=gray", "-f", "rawvideo", "-").stdout
        row = int(top + 20 * scale)
        square = W // BITS
        bits = [raw[row * width + int(left + (bit + 0.5) * square * scale)] > 128 for bit in range(BITS)]
        return sum(1 << bit for bit, is_set in enumerate(bits) if is_set)

    def tab_to(self, selector, most=150):
        """Moves the focus with the tab key until it is on something."""
        for _ in range(most):
            where = self.tab.evaluate(WHERE, selector)
            if where == 0:
                return
            # From the last element on, the key leads out of the page in Firefox, and what is pressed then does nothing.
            if where is None and not self.is_chromium:
                self.tab.evaluate("document.querySelector('button').focus()")
            self.key("Shift+Tab" if where == -1 else "Tab")
        raise Failure(f"the tab key does not lead to {selector}")

    def axe(self, *words):
        """axe-core finds nothing in chromium; where its package (axe-core-python) is not here, that is said."""
        if not self.is_chromium:
            return
        try:
            import axe_core_python
        except ImportError:
            print("page-check: axe-core-python is not here: left out")
            return
        with open(os.path.join(os.path.dirname(axe_core_python.__file__), "axe.min.js"), encoding="utf-8") as file:
            self.tab.context.new_cdp_session(self.tab).send("Runtime.evaluate", {"expression": file.read()})
        found = self.tab.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']})")["violations"]
        expect(not found, *words, [(one["id"], one["nodes"][0]["html"][:200]) for one in found])

    def unfold(self):
        """Opens all that can be folded."""
        self.tab.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")

    def blur(self):
        self.tab.evaluate("document.activeElement?.blur()")

    def export(self, preset, name, is_settled=False):
        """Chooses a preset, names the output and exports, by keys. Settled: the range did not change since the list of presets was made."""
        self.tab.wait_for_selector(f"input[name=preset][value='{preset}']", timeout=120_000)
        # The list is made anew once, for the range.
        time.sleep(0 if is_settled else 1)
        self.tab_to("input[name=preset]")
        for _ in range(80):
            if self.tab.evaluate("document.activeElement.value") == preset:
                break
            self.key("ArrowDown")
        expect(self.tab.evaluate("document.querySelector('input[name=preset]:checked').value") == preset, "the arrows do not lead to", preset)
        self.tab_to("preset-list input[type=text]")
        self.key("Control+a")
        self.tab.keyboard.type(name)
        self.tab_to("preset-list button.primary")
        self.key("Enter")
        row = self.tab.locator("job-queue li:is([data-status=completed], [data-status=failed])", has_text=name)
        row.wait_for(timeout=180_000)
        expect(row.get_attribute("data-status") == "completed", f"{preset}:", row.inner_text())


def choose(browser, name):
    button = browser.tab.locator(".files button", has=browser.tab.locator("b", has_text=name)).first
    button.focus()
    browser.key("Enter")
    browser.tab.locator("#film", has_text=name).wait_for(timeout=60_000)
    browser.ready()
    browser.blur()


def place_of(address):
    """The host and port of a page's address."""
    return address.split("/")[2]


def socket_of(where):
    host, port = where.split(":")
    return host, int(port)


def admitted(address):
    """The host and port of a page, and the headers of a tab that opened its address."""
    where, token = place_of(address), address.split("token=")[1]
    host = {"Host": where}
    status, body, _ = ask(where, "/api/session", "POST", host | {"Origin": "http://" + where, "Content-Type": "application/json"}, json.dumps({"token": token}).encode())
    expect(status == 200, "the token gets", status, body)
    return where, host | {"X-Trim-Session": json.loads(body)["session"]}


def posting(where, headers, kind="application/json"):
    """The headers of a tab that posts something."""
    return headers | {"Origin": "http://" + where, "Content-Type": kind}


def ask(where, path, method="GET", headers=(), body=None):
    connection = http.client.HTTPConnection(*socket_of(where), timeout=30)
    with contextlib.closing(connection):
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in dict(headers).items():
            connection.putheader(name, value)
        if body is not None:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        try:
            if body is not None:
                connection.send(body)
        except OSError:
            pass
        answer = connection.getresponse()
        return answer.status, answer.read(), answer.headers


def export_slowly(tab, name):
    """Exports with a preset that takes long; the job's row in the queue."""
    tab.wait_for_selector("input[name=preset][value='av1-2160']", timeout=60_000)
    tab.locator("input[name=preset][value='av1-2160']").check()
    tab.locator("preset-list input[type=text]").fill(name)
    tab.locator("preset-list button.primary").click()
    return tab.locator("job-queue li", has_text=name)


def cancel(browser, row, name):
    """Cancels such a job, removes it, and chooses what was chosen before."""
    tab = browser.tab
    row.get_by_role("button", name="Cancel").click(timeout=60_000)
    ended = tab.locator("job-queue li[data-status=cancelled]", has_text=name)
    ended.wait_for(timeout=60_000)
    expect(ended.inner_text().count("cancelled") == 1, "of a job that is cancelled is said:", ended.inner_text())
    ended.get_by_role("button", name="Remove").click(timeout=60_000)
    row.wait_for(state="detached", timeout=20_000)
    tab.locator("input[name=preset][value='passthrough']").check()
    tab.locator("preset-list input[type=text]").fill("")
    browser.blur()
