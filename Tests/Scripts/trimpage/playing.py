"""Full screen and picture in picture; the main thread while dragging over a long film; picture and sound in step."""
import json, os, time

from trimdtest.processes import ffmpeg
from trimpage.browser import choose, expect
from trimpage.editing import until


def screens(browser):
    """Full screen and picture in picture, as the browser itself says."""
    tab = browser.tab
    choose(browser, "film.mp4")
    browser.key("f")
    until(lambda: tab.evaluate("document.fullscreenElement?.localName") == "trim-player", "it is not on the full screen")
    browser.key("f")
    until(lambda: tab.evaluate("!document.fullscreenElement"), "it stays on the full screen")
    if not tab.evaluate("document.pictureInPictureEnabled"):
        print("page-check: this browser has no picture in picture: left out")
        return
    browser.key("Home", "ArrowRight")
    browser.wait_number(25)
    tab.get_by_role("button", name="Picture in picture").click()
    until(lambda: tab.evaluate("document.pictureInPictureElement?.localName") == "video" and tab.locator("trim-player.away").count() == 1, "there is no picture in picture")
    tab.get_by_role("button", name="Picture in picture").click()
    until(lambda: tab.evaluate("!document.pictureInPictureElement") and tab.locator("trim-player.away").count() == 0, "picture in picture stays")
    until(lambda: browser.number() == 25 and tab.locator(".still").is_visible(), "the frame at rest does not come back")
    browser.blur()


def dragging(browser, films):
    """A drag over a two-hour film takes at most 8 ms of the main thread a frame; its filmstrip begins within 2 s."""
    path = os.path.join(films, "long.mkv")
    if not os.path.exists(path):
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=320x180:r=1:d=7200", "-f", "lavfi", "-i", "sine=f=300:d=7200:r=8000", "-c:v", "libx264", "-preset", "ultrafast",
               "-g", "10", "-c:a", "aac", "-b:a", "16k", path)
    tab = browser.tab
    tab.locator(".files b", has_text="long.mkv").wait_for(timeout=60_000)
    began = time.monotonic()
    choose(browser, "long.mkv")
    print(f"page-check: a film of two hours is open after {time.monotonic() - began:.1f} s")
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


def in_step(browser, films, seconds=20):
    """A flash and a beep in each second, played natively and by segments: they are heard as they are seen. The browser's own playback of a
    file is the ruler: what it adds to the measurement, as on a busy machine without a sound card, is taken off."""
    tab, ruler = browser.tab, None
    kinds = {"flash.mp4": ["-c:v", "libx264", "-preset", "veryfast", "-g", "50", "-pix_fmt", "yuv420p", "-c:a", "aac"],
             "flash.mov": ["-c:v", "prores_ks", "-profile:v", "0", "-c:a", "pcm_s16le"], "flash.ts": ["-c:v", "mpeg2video", "-q:v", "3", "-c:a", "mp2"]}
    for name, words in kinds.items():
        path = os.path.join(films, name)
        ffmpeg("-f", "lavfi", "-i", f"color=black:s=320x180:r=50:d={seconds + 2},drawbox=c=white:t=fill:enable='lt(mod(t,1),0.06)'",
               "-f", "lavfi", "-i", f"aevalsrc='if(lt(mod(t,1),0.06),0.8*sin(2*PI*1000*t),0)':s=48000:d={seconds + 2}", *words, path)
    for name in kinds:
        tab.locator(".files b", has_text=name).wait_for(timeout=60_000)
        choose(browser, name)
        browser.key("Home")
        time.sleep(1)
        tab.evaluate(HEAR)
        browser.key(" ")
        end = time.monotonic() + seconds * 4
        while tab.evaluate("document.querySelector('video').currentTime") < seconds:
            expect(time.monotonic() < end, name, "does not play")
            time.sleep(0.2)
        browser.key(" ")
        flashes, beeps = json.loads(tab.evaluate("JSON.stringify([heard.flashes, heard.beeps])"))
        lags = sorted(lag for lag in (min((beep - flash for beep in beeps), key=abs, default=1) for flash in flashes) if abs(lag) < 0.5)
        expect(len(lags) >= seconds * 0.4, name, "has", len(flashes), "flashes and", len(beeps), "beeps")
        middle = lags[len(lags) // 2]
        mode = tab.locator("trim-player").get_attribute("data-mode")
        print(f"page-check: {name} ({mode}): the beep is {middle * 1000:.0f} ms after the flash ({lags[0] * 1000:.0f} to {lags[-1] * 1000:.0f}), {len(lags)} of them")
        ruler = middle if ruler is None else ruler
        expect(min(abs(middle), abs(middle - ruler)) <= 0.02, name, "is out of step by", f"{(middle - ruler) * 1000:.0f} ms")
        tab.reload()
        browser.ready()


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
        ffmpeg("-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=15", "-f", "lavfi", "-i", "sine=f=500:r=48000:d=15", *video, *words, os.path.join(films, name))
    for name in ("tone.mp4", "tone.mov"):
        tab.locator(".files b", has_text=name).wait_for(timeout=60_000)
        choose(browser, name)
        browser.key("Home")
        time.sleep(1)
        tab.evaluate(CAPTURE)
        browser.key(" ")
        until(lambda: tab.evaluate("document.querySelector('video').currentTime") > 13, name, "does not play", seconds=90)
        browser.key(" ")
        found[name] = tab.evaluate("tone")
        tab.reload()
        browser.ready()
    for name, (breaks, silent, heard) in found.items():
        print(f"page-check: {name}: {len(breaks)} breaks of the tone, {silent / 48:.0f} ms of silence in {heard / 48000:.1f} s")
    own, segments = found["tone.mp4"], found["tone.mov"]
    expect(segments[2] > 11 * 48000, "too little is heard:", segments[2])
    # Whatever the machine leaves out, it leaves out of both; a gap at a join would be one more at each second that is a join.
    joins = [at for at in segments[0] if min(abs(at - join) for join in (1, 4, 8, 12)) < 0.06]
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
