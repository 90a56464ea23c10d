"""Firefox, spoken to by WebDriver BiDi: it listens itself, so that no driver is needed. The page opens, stops on the frame that is meant, and
exports."""
import json, os, re, shutil, subprocess, tempfile, time

from trimpage.browser import Failure, expect


class Firefox:
    """A headless Firefox with a profile of its own; ends with its `with` block."""

    def __init__(self, program):
        import websocket
        self.profile = tempfile.mkdtemp(prefix="page-firefox-")
        self.process = subprocess.Popen([program, "--headless", "--no-remote", "--profile", self.profile, "--remote-debugging-port", "0"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=os.environ | {"HOME": self.profile, "MOZ_DISABLE_CONTENT_SANDBOX": "1"})
        for line in self.process.stderr:
            if found := re.search(r"BiDi listening on (ws://\S+)", line):
                break
        else:
            raise OSError("Firefox does not start")
        self.socket, self.count = websocket.create_connection(found[1] + "/session", timeout=90, suppress_origin=True), 0
        self.ask("session.new", capabilities={})
        self.tab = self.ask("browsingContext.getTree")["contexts"][0]["context"]

    def ask(self, method, **params):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": params}))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.count:
                expect(answer["type"] == "success", method, answer)
                return answer["result"]

    def value(self, expression):
        answer = self.ask("script.evaluate", expression=f"JSON.stringify({expression})", target={"context": self.tab}, awaitPromise=True)
        expect(answer["type"] == "success", expression, answer)
        return json.loads(answer["result"]["value"]) if answer["result"]["type"] == "string" else None

    def until(self, expression, *words, seconds=60):
        end = time.monotonic() + seconds
        while not self.value(expression):
            if time.monotonic() > end:
                raise Failure(" ".join([*(words or (expression,)), str(self.value("document.querySelector('#notice')?.textContent"))]))
            time.sleep(0.1)

    def key(self, *keys):
        for key in keys:
            self.ask("input.performActions", context=self.tab, actions=[{"type": "key", "id": "keyboard", "actions": [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.process.terminate()
        self.process.wait()
        self.process.stderr.close()
        shutil.rmtree(self.profile, ignore_errors=True)


def firefox(address, films):
    """The page in Firefox: by keys to a frame, played natively and by segments, exported; no error of a script."""
    program = os.environ.get("FIREFOX") or shutil.which("firefox-esr")
    try:
        import websocket  # noqa: F401
    except ImportError:
        program = None
    if not program:
        print("page-check: there is no firefox-esr, or no websocket-client for Python: left out")
        return
    right, home, dot = "\ue014", "\ue011", "."
    with Firefox(program) as fox:
        fox.ask("browsingContext.navigate", context=fox.tab, url=address, wait="complete")
        fox.until("!!document.body?.dataset.ready", "the page does not open")
        for name in ("film.mp4", "other.ts"):
            fox.value(f"void [...document.querySelectorAll('.files button')].find(one => one.querySelector('b').textContent === {json.dumps(name)}).click()")
            fox.until(f"document.querySelector('#film').textContent === {json.dumps(name)} && !!document.body.dataset.ready", name, "does not open")
            fox.value("void document.activeElement.blur()")
            fox.key(home, right, right)
            # Sound may begin before the first frame.
            fox.until("document.querySelector('.still').hidden === false && Math.abs(document.querySelector('.readout').dataset.number - 49) < 2", name, "is not at the frame")
            mode = fox.value("document.querySelector('trim-player').dataset.mode")
            fox.key(" ")
            fox.until("document.querySelector('video').currentTime > 3", name, "is not played by", mode)
            fox.key(" ", dot)
            print(f"page-check: Firefox plays {name}: {mode}")
        fox.key("i", "e")
        fox.until("!!document.querySelector('preset-list .message').dataset.job", "nothing is exported", seconds=90)
        fox.until("[...document.querySelectorAll('job-queue li')].some(one => one.dataset.status === 'completed' && one.textContent.includes('other-trim'))", "the export does not end", seconds=120)
        expect(any(name.startswith("other-trim") for name in os.listdir(films)), "there is no output")
