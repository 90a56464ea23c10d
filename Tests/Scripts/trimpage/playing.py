"""Full screen and picture in picture; the main thread while dragging over a long film; picture and sound in step."""
import json, os, time
from array import array

from trimdtest.processes import run
from trimpage.browser import BITS, H, RATE, W, admitted, ask, choose, expect, make
from trimpage.editing import until


def screens(browser):
    """Full screen and picture in picture, as the browser itself says."""
    tab = browser.tab
    choose(browser, "film.mp4")
    browser.key("f")
    until(lambda: tab.evaluate("document.fullscreenElement?.localName") == "trim-player", "it is not on the full screen")
    browser.key("f")
    until(lambda: tab.evaluate("!document.fullscreenElement"), "it stays on the full screen")
    if not browser.has_window_of_picture:
        print("page-check: no picture in picture in this browser: left out")
        return
    browser.key("Home", "ArrowRight")
    browser.wait_number(25)
    tab.get_by_role("button", name="Picture in picture").click()
    until(lambda: tab.evaluate("document.pictureInPictureElement?.localName") == "video" and tab.locator("trim-player.away").count() == 1, "there is no picture in picture")
    tab.get_by_role("button", name="Picture in picture").click()
    until(lambda: tab.evaluate("!document.pictureInPictureElement") and tab.locator("trim-player.away").count() == 0, "picture in picture stays")
    until(lambda: browser.number() == 25 and tab.locator(".still").is_visible(), "the frame at rest does not come back")
    browser.blur()


# Whether there are pictures in the filmstrip.
STRIP = """() => { const { canvas } = document.querySelector("trim-timeline"), row = canvas.getContext("2d").getImageData(0, 20, canvas.width, 1).data;
  return row.some((value, index) => index % 4 === 3 && value === 255); }"""


def burden():
    """By how much other work that waits for the processors makes each thing longer; at least 1."""
    return max(1, os.getloadavg()[0] / 2 / os.cpu_count())


def dragging(browser, films):
    """A drag over a two-hour film takes at most 8 ms of the main thread a frame; its filmstrip begins within 2 s."""
    path = os.path.join(films, "long.mkv")
    if not os.path.exists(path):
        make("-f", "lavfi", "-i", "testsrc2=s=320x180:r=1:d=7200", "-f", "lavfi", "-i", "sine=f=300:d=7200:r=8000", "-c:v", "libx264", "-preset", "ultrafast",
               "-g", "10", "-c:a", "aac", "-b:a", "16k", path)
    tab = browser.tab
    tab.locator(".files b", has_text="long.mkv").wait_for(timeout=60_000)
    began = time.monotonic()
    choose(browser, "long.mkv")
    opened = time.monotonic() - began
    # Something of the strip is drawn where nothing else is.
    until(lambda: tab.evaluate(STRIP), "there is no filmstrip")
    strip = time.monotonic() - began
    print(f"page-check: a film of two hours is open after {opened:.1f} s, its filmstrip begins after {strip:.1f} s, load {load()}")
    expect(strip <= 2 * burden(), "the filmstrip begins after", f"{strip:.1f} s, with the load", load())
    time.sleep(3)
    box = tab.locator(".track").bounding_box()
    session = tab.context.new_cdp_session(tab)
    events = []
    session.on("Tracing.dataCollected", lambda data: events.extend(data["value"]))
    session.send("Tracing.start", {"transferMode": "ReportEvents", "traceConfig": {"includedCategories": ["toplevel", "disabled-by-default-devtools.timeline", "devtools.timeline"]}})
    tab.mouse.move(box["x"] + 20, box["y"] + 30)
    tab.mouse.down()
    frames = tab.evaluate("""() => { window.frames_ = 0; const turn = () => { frames_++; if (frames_ >= 0) requestAnimationFrame(turn); }; requestAnimationFrame(turn); }""")
    for step in range(180):
        tab.mouse.move(box["x"] + 20 + (box["width"] - 60) * step / 180, box["y"] + 30)
        time.sleep(0.012)
    tab.mouse.up()
    frames = tab.evaluate("(() => { const n = frames_; frames_ = -1e9; return n; })()")
    done = []
    session.on("Tracing.tracingComplete", lambda _: done.append(1))
    session.send("Tracing.end")
    end = time.monotonic() + 30
    while not done:
        expect(time.monotonic() < end, "there is no trace")
        tab.wait_for_timeout(100)
    mains = {(one["pid"], one["tid"]) for one in events if one["name"] == "thread_name" and one["args"]["name"] == "CrRendererMain"}
    marks = [one for one in events if (one["pid"], one["tid"]) in mains and one.get("ph") == "X"]
    # The renderer of the page is the one with the callbacks of frames.
    page = max(mains, key=lambda main: sum(one["name"] == "FireAnimationFrame" for one in marks if (one["pid"], one["tid"]) == main))
    own = [one for one in marks if (one["pid"], one["tid"]) == page]
    tasks = sorted((one["ts"], one.get("tdur", one["dur"])) for one in own if one["name"] == "RunTask")
    starts = sorted(one["ts"] for one in own if one["name"] == "FireAnimationFrame")
    expect(frames > 60 and len(starts) > 60 and tasks, "the drag has", frames, "frames and", len(tasks), "tasks")
    loads = sorted(sum(long for at, long in tasks if a <= at < b) / 1000 for a, b in zip(starts, starts[1:]))
    mean, high = sum(loads) / len(loads), loads[int(len(loads) * 0.95)]
    print(f"page-check: dragging: {len(loads)} frames, {mean:.1f} ms of the main thread each, 95 in 100 below {high:.1f} ms")
    expect(high <= 8, "a frame takes", f"{high:.1f} ms", "of the main thread")


# Kinds that browsers play, and kinds that they do not: codecs, containers, changing rates, rotation, sound of six channels.
H264 = ["-c:v", "libx264", "-preset", "veryfast", "-g", "50", "-pix_fmt", "yuv420p"]
KINDS = {
    "flash.mp4": [*H264, "-c:a", "aac"], "flash.mov": ["-c:v", "prores_ks", "-profile:v", "0", "-c:a", "pcm_s16le"], "flash.ts": ["-c:v", "mpeg2video", "-q:v", "3", "-c:a", "mp2"],
    "flash-h265.mp4": ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error", "-tag:v", "hvc1", "-pix_fmt", "yuv420p", "-c:a", "aac"],
    "flash.mxf": ["-c:v", "mpeg2video", "-q:v", "3", "-c:a", "pcm_s16le"],
    # The frames of flashes stay; of the others some go.
    "flash-vfr.mov": ["-vf", "select='lt(mod(t,1),0.1)+not(mod(n,3))+lt(mod(n,11),5)'", "-fps_mode", "passthrough", "-c:v", "mjpeg", "-q:v", "2", "-c:a", "pcm_s16le"],
    "flash-turned.mov": [*H264, "-metadata:s:v:0", "rotate=90", "-c:a", "pcm_s24le"], "flash-5.1.mkv": [*H264, "-c:a", "ac3", "-ac", "6"],
}


# How long flashes and beeps are looked for, in each kind.
SECONDS = 20


def make_flashes(films, name, words, seconds):
    """A film with a flash and a beep in the first 60 ms of each second."""
    make("-f", "lavfi", "-i", f"color=black:s=320x180:r=50:d={seconds},drawbox=c=white:t=fill:enable='lt(mod(t,1),0.06)'",
           "-f", "lavfi", "-i", f"aevalsrc='if(lt(mod(t,1),0.06),0.8*sin(2*PI*1000*t),0)':s=48000:d={seconds}", *words, os.path.join(films, name))


def lags_of(browser, films, name, seconds, kind=None):
    """How long after each flash its beep is heard, in seconds, in the order of the film; and how it is played."""
    tab = browser.tab
    if not os.path.exists(os.path.join(films, name)):
        make_flashes(films, name, KINDS[kind or name], seconds + 2)
    tab.locator(".files b", has_text=name).wait_for(timeout=60_000)
    choose(browser, name)
    browser.key("Home")
    time.sleep(1)
    tab.evaluate(HEAR)
    mode = tab.locator("trim-player").get_attribute("data-mode")
    try:
        browser.key(" ")
        until(lambda: tab.evaluate("document.querySelector('video').currentTime") >= seconds, name, "does not play", seconds=60 + seconds * 2)
        browser.key("k")
        flashes, beeps = json.loads(tab.evaluate("JSON.stringify([heard.flashes, heard.beeps])"))
    finally:
        # A video is listened to once: the page begins anew.
        tab.reload()
        browser.ready()
    lags = [lag for lag in (min((beep - flash for beep in beeps), key=abs, default=1) for flash in flashes) if abs(lag) < 0.5]
    expect(len(lags) >= seconds * 0.4, name, "has", len(flashes), "flashes and", len(beeps), "beeps")
    return lags, mode


def middle(values):
    return sorted(values)[len(values) // 2]


def in_step(browser, films, seconds=SECONDS):
    """A flash and a beep in each second, played natively and by segments: they are heard as they are seen. The browser's own playback of a
    file is the ruler: what it adds to the measurement, as on a busy machine without a sound card, is taken off."""
    ruler = None
    for name in KINDS:
        lags, mode = lags_of(browser, films, name, seconds)
        found = middle(lags)
        ruler = found if ruler is None else ruler
        print(f"page-check: {name} ({mode}): the beep is {found * 1000:.0f} ms after the flash ({min(lags) * 1000:.0f} to {max(lags) * 1000:.0f}), {len(lags)} of them, load {load()}", flush=True)
        expect(min(abs(found), abs(found - ruler)) <= 0.02, name, "is out of step by", f"{(found - ruler) * 1000:.0f} ms")


def ten_minutes(browser, films, seconds=600):
    """By segments over ten minutes, the sound does not run away from the picture."""
    lags, mode = lags_of(browser, films, "flash-long.ts", seconds, kind="flash.ts")
    expect(mode == "segments", "the film is played by", mode)
    first, last = middle(lags[:60]), middle(lags[-60:])
    print(f"page-check: after {seconds} s the beep is {last * 1000:.0f} ms after the flash, in the first minute {first * 1000:.0f}, {len(lags)} of them, load {load()}")
    expect(abs(last - first) <= 0.02, "picture and sound run apart by", f"{(last - first) * 1000:.0f} ms")


def load():
    return f"{os.getloadavg()[0]:.1f}"


def step_of_segments(films, address, kinds=tuple(KINDS), seconds=6):
    """The same flashes and beeps in the segments themselves, read by ffmpeg: in each kind they are where they are in the film, whatever else
    the machine does."""
    port, good = admitted(address)
    for name in kinds:
        if not os.path.exists(os.path.join(films, name)):
            make_flashes(films, name, KINDS[name], SECONDS + 2)
        item = next(one["id"] for one in json.loads(ask(port, "/api/library", headers=good)[1])["items"] if one["name"] == name)
        flashes, beeps = [], []
        for start, long in [(0, 1), (1, 2), (3, 5), (8, 8)] + [(at, 8) for at in range(16, seconds * 2, 8)]:
            status, body, _ = ask(port, f"/api/assets/{item}/segment?start={start}/2&duration={long}/2&width=640", headers=good)
            expect(status == 200, name, "has no segment at", start, body[:300])
            size = int.from_bytes(body[:4], "big")
            path = os.path.join(os.path.dirname(films), "segment.mp4")
            with open(path, "wb") as file:
                file.write(body[4 + size:])
            flashes += edges(path, "v")
            beeps += edges(path, "a")
            os.remove(path)
        pairs = [(flash, min(beeps, key=lambda beep: abs(beep - flash))) for flash in flashes]
        expect(len(pairs) >= seconds - 1, name, "has the flashes", flashes)
        # A packet of AAC smears the beginning of a beep by some milliseconds.
        wrong = [pair for pair in pairs if abs(pair[1] - pair[0]) > 0.02 or abs(pair[0] - round(pair[0])) > 0.021]
        expect(not wrong, name, "has flashes and beeps at", wrong)
        # Where a segment begins with a beep nothing before it smears; of the others the middle tells what all are late.
        late = middle([beep - flash for flash, beep in pairs])
        expect(abs(late) <= 0.002, name, "has its sound", f"{late * 1000:.1f} ms after its picture")
        print(f"page-check: {name}: in its segments the beep is {late * 1000:.1f} ms after the flash, {len(pairs)} of them")


def edges(path, kind):
    """When the picture becomes bright, or the sound loud, after it was not for a while; in seconds of the film."""
    if kind == "v":
        times = [float(line) for line in run("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0", path).stdout.decode().replace(",", "").split()]
        levels = run("ffmpeg", "-v", "error", "-i", path, "-map", "0:v", "-fps_mode", "passthrough", "-vf", "scale=1:1,format=gray", "-f", "rawvideo", "-").stdout
        marks = [(at, level > 128) for at, level in zip(sorted(times), levels)]
        return [at for (at, now), (_, was) in zip(marks[1:], marks) if now and not was] + ([marks[0][0]] if marks and marks[0][1] else [])
    begin = float(run("ffprobe", "-v", "error", "-select_streams", "a", "-show_entries", "packet=pts_time", "-of", "csv=p=0", path).stdout.decode().replace(",", "").split()[0])
    samples = array("h", run("ffmpeg", "-v", "error", "-i", path, "-map", "0:a", "-ac", "1", "-ar", "48000", "-f", "s16le", "-").stdout)
    found, quiet = [], 4801
    for at, sample in enumerate(samples):
        if abs(sample) > 3000:
            if quiet > 4800:
                found.append(begin + at / 48000)
            quiet = 0
        else:
            quiet += 1
    return found


def seeks(browser, films, rounds=9):
    """From a key to the picture that it asks for, of 1080p: while the film plays, and at rest; the middle of some leaps far apart."""
    tab = browser.tab
    kinds = {"seek.mp4": (H264, 0.3), "seek.ts": (["-c:v", "mpeg2video", "-q:v", "4", "-g", "25"], 1.0)}
    for name, (words, most) in kinds.items():
        make("-f", "lavfi", "-i", "testsrc2=s=1920x1080:r=25:d=40", "-f", "lavfi", "-i", "sine=f=300:d=40", *words, "-c:a", "aac" if name.endswith("mp4") else "mp2", os.path.join(films, name))
        tab.locator(".files b", has_text=name).wait_for(timeout=60_000)
        choose(browser, name)
        browser.key("Home")
        browser.rest(0)
        tab.evaluate("""() => { const v = document.querySelector("video"), still = document.querySelector(".still"), readout = document.querySelector(".readout");
            window.leap = to => new Promise(resolve => { const began = performance.now(); setTimeout(() => resolve(2e4), 2e4);
              const look = (now, { mediaTime }) => { if (mediaTime > to - 0.1 && mediaTime < to + 2) resolve(performance.now() - began); else v.requestVideoFrameCallback(look); };
              v.requestVideoFrameCallback(look); document.querySelector("trim-player").seek(to); });
            window.rest = to => new Promise(resolve => { const began = performance.now(), player = document.querySelector("trim-player"); setTimeout(() => resolve([2e4, 2e4]), 2e4);
              // The browser's own picture may be there before the exact one.
              const turn = () => { if (!seen && still.hidden && !v.seeking && Math.abs(v.currentTime - to) < 0.1) seen = performance.now() - began; const at = player.frame && player.frame.actual.value / player.frame.actual.timescale;
                if (at <= to && to < at + 0.04 && !still.hidden && still.complete) resolve([seen || performance.now() - began, performance.now() - began]); else requestAnimationFrame(turn); };
              let seen;
              player.seek(to); requestAnimationFrame(turn); }); }""")
        places = [3 + 23 * index % 33 for index in range(rounds)]
        rests = [tab.evaluate("rest", place + 0.5) for place in places]
        at_rest, exact = sorted(first for first, _ in rests), middle([last for _, last in rests])
        browser.key(" ")
        until(lambda: tab.evaluate("!document.querySelector('video').paused && document.querySelector('video').currentTime > 0"), name, "does not play")
        playing = sorted(tab.evaluate("leap", place) for place in places)
        browser.key("k")
        mode = tab.locator("trim-player").get_attribute("data-mode")
        middles = [one[rounds // 2] / 1000 for one in (playing, at_rest)]
        print(f"page-check: {name} ({mode}): seek to picture {middles[0] * 1000:.0f} ms while it plays ({playing[0]:.0f} to {playing[-1]:.0f}), {middles[1] * 1000:.0f} at rest "
              f"({at_rest[0]:.0f} to {at_rest[-1]:.0f}; the exact frame {exact:.0f}), load {load()}", flush=True)
        # Other work that waits for the processors takes its share of each.
        allowed = most * burden()
        expect(max(middles) <= allowed, name, "takes", middles, "s from the seek to the picture, and may take", round(allowed, 2), "with the load", load())
    browser.blur()


# Both in the film's own time: the time of the picture that is presented, and that of the sound as it is decoded for output.
HEAR = """() => {
  const video = document.querySelector("video"), canvas = new OffscreenCanvas(8, 8), pen = canvas.getContext("2d", { willReadFrequently: true });
  const heard = window.heard = { flashes: [], beeps: [] };
  let bright = true;
  const look = (now, facts) => {
    pen.drawImage(video, 0, 0, 8, 8);
    const is = pen.getImageData(4, 4, 1, 1).data[0] > 128;
    if (is && !bright) heard.flashes.push(facts.expectedDisplayTime / 1000);
    bright = is;
    video.requestVideoFrameCallback(look);
  };
  video.requestVideoFrameCallback(look);
  const sound = new AudioContext({ latencyHint: 0, sampleRate: 48000 }), source = sound.createMediaElementSource(video), node = sound.createScriptProcessor(256, 2, 2);
  let loud = true, quiet = 0;
  node.onaudioprocess = event => {
    const samples = event.inputBuffer.getChannelData(0), { contextTime, performanceTime } = sound.getOutputTimestamp();
    for (let i = 0; i < samples.length; i++) {
      if (Math.abs(samples[i]) > 0.1) { if (quiet > 4800) heard.beeps.push(performanceTime / 1000 + event.playbackTime + i / 48000 - contextTime); quiet = 0; } else quiet++;
    }
  };
  source.connect(node); node.connect(sound.destination);
}"""


def gapless(browser, films):
    """A tone by segments has no gap where they join: its sound is captured, and compared with a file that the browser plays itself."""
    tab, found = browser.tab, {}
    for name, words in {"tone.mp4": ["-c:a", "aac"], "tone.mov": ["-c:a", "pcm_s16le"]}.items():
        video = ["-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p"] if name == "tone.mp4" else ["-c:v", "prores_ks", "-profile:v", "0"]
        make("-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=15", "-f", "lavfi", "-i", "sine=f=500:r=48000:d=15", *video, *words, os.path.join(films, name))
    for name in ("tone.mp4", "tone.mov"):
        tab.locator(".files b", has_text=name).wait_for(timeout=60_000)
        choose(browser, name)
        browser.key("Home")
        time.sleep(1)
        tab.evaluate(CAPTURE)
        browser.key(" ")
        until(lambda: tab.evaluate("document.querySelector('video').currentTime") > 13, name, "does not play", seconds=90)
        browser.key("k")
        found[name] = tab.evaluate("tone")
        tab.reload()
        browser.ready()
    for name, (breaks, silent, heard) in found.items():
        print(f"page-check: {name}: {len(breaks)} breaks of the tone, {silent / 48:.0f} ms of silence in {heard / 48000:.1f} s")
    own, segments = found["tone.mp4"], found["tone.mov"]
    expect(segments[2] > 11 * 48000, "too little is heard:", segments[2])
    # Whatever the machine leaves out, it leaves out of both; a gap at a join would be one more at each time that is a join.
    joins = [at for at in segments[0] if min(abs(at - join) for join in (0.5, 1.5, 3.5, 4, 8, 12)) < 0.06]
    expect(len(joins) < 2 and segments[1] <= own[1] + 480, "the sound has gaps at joins:", joins, "and silence:", segments[1])


# The samples of a sine follow from the two before; where they do not, something is missing. Times are the film's.
CAPTURE = """() => {
  const video = document.querySelector("video"), sound = new AudioContext({ sampleRate: 48000 }), source = sound.createMediaElementSource(video), node = sound.createScriptProcessor(4096, 1, 1);
  const turn = 2 * Math.cos(2 * Math.PI * 500 / 48000), tone = window.tone = [[], 0, 0];
  let a = 0, b = 0, begun = false, last = -1;
  node.onaudioprocess = event => {
    if (video.paused) { begun = false; return; }
    const samples = event.inputBuffer.getChannelData(0);
    for (const [i, c] of samples.entries()) {
      if (!begun) { if (Math.abs(c) > 0.05 && Math.abs(b) > 0.05) begun = true; } else {
        tone[2]++;
        if (c === 0 && b === 0) tone[1]++;
        const at = video.currentTime;
        if (Math.abs(c - turn * b + a) > 0.02 && tone[2] - last > 480) { tone[0].push(at - (samples.length - i) / 48000); last = tone[2]; }
      }
      a = b; b = c;
    }
  };
  source.connect(node); node.connect(sound.destination);
}"""


# The frame that the browser's own video shows where it is paused, as the number in the film's squares, before the page shows a frame of its own.
PAUSED = """([bits, wide, tall]) => { const video = document.querySelector("video"); window.paused = [];
  const read = () => { const pen = Object.assign(document.createElement("canvas"), { width: wide, height: tall }).getContext("2d"); pen.drawImage(video, 0, 0, wide, tall);
    const square = Math.floor(wide / bits); let sum = 0;
    for (let bit = 0; bit < bits; bit++) if (pen.getImageData(Math.floor((bit + 0.5) * square), 20, 1, 1).data[0] > 128) sum |= 1 << bit;
    return sum; };
  window.readVideo = read;
  video.addEventListener("pause", () => requestAnimationFrame(() => window.paused.push(read()))); }"""


def beginnings(browser, films, film):
    """Films that do not begin at 0: the clock, the picture that plays and the frame at rest are one; a pause keeps the frame that is seen."""
    copies = {"plain.mp4": [], "late.mp4": ["-output_ts_offset", "3"], "late.webm": ["-output_ts_offset", "3", "-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-b:v", "2M", "-an"],
              "unedited.mp4": ["-use_editlist", "0"], "bare.mp4": ["-use_editlist", "0", "-output_ts_offset", "7", "-bsf:a", "noise=drop=lt(pts\\,tb)"]}
    for name, words in copies.items():
        make("-i", film, "-t", "6", *(words if "-c:v" in words else ["-c", "copy", *words]), os.path.join(films, name))
    tab = browser.tab
    for name in copies:
        tab.locator(".files b", has_text=name).wait_for(timeout=30_000)
        choose(browser, name)
        mode = tab.locator("trim-player").get_attribute("data-mode")
        tab.evaluate(PAUSED, [BITS, W, H])
        for at in (1, 2, 3):
            browser.key("Home", *["ArrowRight"] * at)
            browser.rest(at - 0.1)
            browser.key(" ")
            tab.wait_for_function("() => document.querySelector('video').currentTime % 1 > 0.3 && !document.querySelector('video').paused", timeout=60_000)
            browser.key("k")
            tab.wait_for_function("() => !document.querySelector('.still').hidden && document.querySelector('.readout').dataset.number", timeout=60_000)
            shown, number = tab.evaluate("window.paused.at(-1)"), browser.number()
            expect(shown == number == browser.seen(), f"{name} ({mode}): the video shows {shown} where it is paused, the page says {number} and shows {browser.seen()}")
        print(f"page-check: {name} is played in mode {mode}")
