// The live view as a value: news and keys in, orders and lines out. In a terminal `Tests/Scripts/programs/test_watch.py` tries it.
import Media
import Testing
import Wire

@testable import TrimClient
@testable import trimctl

@Suite struct WatchViewTests {
    private static let style = WatchView.Style(isUnicode: true, isColored: false)

    private func view(_ jobs: JobReport..., ids: [Int64]? = nil) -> WatchView {
        var view = WatchView(ids)
        view.begin(jobs)
        return view
    }

    private func lines(_ view: WatchView, _ columns: Int = 100, _ rows: Int = 24) -> [String] {
        view.frame(
            columns: columns, rows: rows, now: Moment(milliseconds: 1_700_000_060_000), style: Self.style)
    }

    @Test func jobsStandInTheOrderOfTheirNeed() {
        var first = JobReport.sample(1, .completed)
        first.ended = Moment(milliseconds: 5)
        var second = JobReport.sample(2, .failed)
        second.ended = Moment(milliseconds: 9)
        var view = view(first, second, .sample(3, .held), .sample(4), .sample(6), .sample(5, .exporting))
        #expect(view.jobs.map(\.id) == [5, 4, 6, 3, 2, 1])
        #expect(view.chosen == 5)
        view.take(.sample(6, .exporting))
        #expect(view.jobs.map(\.id) == [5, 6, 4, 3, 2, 1])
        #expect(lines(view)[0] == "2 exporting, 1 waiting, 1 held, 1 completed, 1 failed")
    }

    @Test func theChoiceStaysWithItsJob() {
        var view = view(.sample(1), .sample(2), .sample(3))
        #expect(view.press(.letter("j")) == nil)
        #expect(view.chosen == 2)
        view.take(.sample(2, .completed))
        #expect(view.chosen == 2)
        #expect(view.jobs.last?.id == 2)
        _ = view.press(.up)
        #expect(view.chosen == 3)
        _ = view.press(.first)
        _ = view.press(.up)
        #expect(view.chosen == 1)
        view.begin([.sample(3)])
        #expect(view.chosen == 3)
    }

    @Test func keysAskForWhatTheJobAllows() {
        var view = view(.sample(1, .exporting), .sample(2), .sample(3, .held), .sample(4, .failed))
        #expect(view.press(.letter("h")) == .order(.jobHold, 1))
        #expect(view.press(.letter("R")) == nil)
        #expect(view.note == "job 1 is exporting, and cannot be tried again")
        _ = view.press(.down)
        #expect(view.note == nil)
        #expect(view.press(.letter("h")) == .order(.jobHold, 2))
        _ = view.press(.down)
        #expect(view.press(.letter("l")) == .order(.jobRelease, 3))
        #expect(view.press(.letter("r")) == .order(.jobRelease, 3))
        _ = view.press(.last)
        #expect(view.press(.letter("R")) == .order(.jobRetry, 4))
        #expect(view.press(.letter("c")) == nil)
        view.isLost = true
        #expect(view.press(.letter("R")) == nil)
        #expect(lines(view).first?.contains("does not answer") == true)
        #expect(view.press(.letter("q")) == .quit)
        var empty = WatchView()
        #expect(empty.press(.letter("c")) == nil)
        #expect(empty.press(.down) == nil)
    }

    /// Nothing is cancelled without a yes, and then that job, whatever is chosen by then.
    @Test func aCancellationIsAskedAbout() {
        var view = view(.sample(1, .exporting), .sample(2))
        #expect(view.press(.letter("c")) == nil)
        #expect(view.note?.hasPrefix("cancel job 1?") == true)
        for key in [Key.letter("n"), .enter, .letter("c"), .down, .letter("q")] {
            #expect(view.press(key) == nil && view.note == "job 1 is not cancelled")
            #expect(view.press(.letter("y")) == nil, "the question is over")
            #expect(view.press(.letter("c")) == nil)
        }
        #expect(view.press(.letter("y")) == .order(.jobCancel, 1))
        _ = view.press(.letter("c"))
        view.take(.sample(1, .completed))
        #expect(view.press(.letter("y")) == nil && view.note == "job 1 is completed, and cannot be cancelled")
    }

    @Test func enterShowsTheJobAndItsLog() {
        var view = view(.sample(1, .exporting), .sample(2, .failed))
        _ = view.press(.down)
        #expect(view.press(.enter) == nil && view.shownJob == 2)
        #expect(lines(view)[0] == "job 2" && lines(view).contains("no log yet"))
        view.log = (1...50).map { "line \($0)" }
        #expect(lines(view).contains { $0.contains("decoding failed") } && lines(view).contains("  line 1"))
        _ = view.press(.last)
        #expect(lines(view).contains("  line 50") && lines(view).count == 24)
        _ = view.press(.first)
        _ = view.press(.up)
        #expect(lines(view)[0] == "job 2")
        // Orders are about the job that is shown.
        #expect(view.press(.letter("R")) == .order(.jobRetry, 2))
        #expect(view.press(.letter("q")) == nil && view.shownJob == nil)
        #expect(lines(view)[2].hasPrefix(">") == false && view.chosen == 2)
        #expect(view.press(.letter("q")) == .quit)
    }

    @Test(arguments: [20, 40, 80, 200], [3, 5, 12, 24, 60])
    func panelsFitTheScreen(columns: Int, rows: Int) {
        var view = view(.sample(1, .exporting))
        for key in [Key.letter("?"), .enter] {
            _ = view.press(key)
            if key == .enter { _ = view.press(.enter) }
            view.log = [String(repeating: "世界", count: 99), "\u{1B}[2J"]
            for scrolling in [Key.first, .last] {
                _ = view.press(scrolling)
                let lines = view.frame(columns: columns, rows: rows, now: .now, style: Self.style)
                #expect(lines.count == rows)
                #expect(lines.allSatisfy { $0.columns <= columns && !$0.contains("\u{1B}") })
            }
        }
    }

    /// Every key that does something is explained.
    @Test func theKeysAreShown() {
        var view = view(.sample(1))
        _ = view.press(.letter("?"))
        let text = lines(view).joined(separator: "\n")
        for word in ["Enter", "cancel", "hold", "release", "retry", "?", "q "] {
            #expect(text.contains(word))
        }
        _ = view.press(.letter("?"))
        #expect(view.panel == nil)
        #expect(lines(view, 40).last == "Enter details  ? keys  q quit")
    }

    @Test func progressNeverFallsAndEndsWithItsJob() {
        var view = view(.sample(1, .exporting))
        view.take(JobProgress.sample(0.5))
        view.take(JobProgress.sample(0.4))
        #expect(view.progress[1]?.fraction == 0.5)
        view.take(JobProgress.sample(0.9, id: 7))
        #expect(view.progress[7] == nil)
        #expect(
            lines(view)[2].hasPrefix(">  1  exporting  [██████░░░░░░]   50 %   2.1x          13 s  m4v720"))
        view.take(.sample(1, .failed))
        #expect(view.progress.isEmpty)
        #expect(lines(view)[2].contains("failed     decoding failed"))
        #expect(lines(view).contains { $0.contains("decoding failed (track 0)") })
    }

    @Test func jobsThatWereRefusedDoNotFillTheView() {
        var refused = JobReport.sample(2, .failed)
        refused.progress = 0
        refused.error = MediaError(.invalidTime, "the start is past the end")
        var view = WatchView()
        view.take(.sample(2))
        view.take(refused)
        #expect(view.jobs.isEmpty)
        refused.error = MediaError(.inputOutput, "the disk failed")
        view.take(refused)
        #expect(view.jobs.map(\.id) == [2])
        var named = WatchView([2])
        refused.error = MediaError(.invalidTime, "the start is past the end")
        named.take(refused)
        #expect(named.isDone)
    }

    @Test func namedJobsAreAllThatCounts() {
        var view = view(.sample(1, .exporting), ids: [1])
        view.take(.sample(2))
        #expect(view.jobs.count == 1)
        #expect(!view.isDone)
        view.take(.sample(1, .cancelled))
        #expect(view.isDone)
        #expect(!WatchView().isDone)
    }

    @Test(arguments: [20, 30, 40, 60, 80, 100, 200], [3, 5, 10, 12, 24, 60])
    func linesFitTheScreen(columns: Int, rows: Int) {
        var view = WatchView()
        var jobs = (1...40).map { JobReport.sample($0, $0 < 3 ? .exporting : .waiting) }
        jobs[0].output = "/a/世界世界世界世界世界世界世界世界世界世界.m4v"
        jobs[1].output = "/a/\u{1B}[2J\tname\n.m4v"
        view.begin(jobs)
        view.fit(WatchView.page(rows: rows))
        for _ in 0..<30 { _ = view.press(.down) }
        for style in [Self.style, WatchView.Style(isUnicode: false, isColored: false)] {
            let lines = view.frame(columns: columns, rows: rows, now: .now, style: style)
            #expect(lines.count == rows)
            #expect(lines.allSatisfy { $0.columns <= columns && !$0.contains("\u{1B}") })
            #expect(lines.count { $0.hasPrefix("> 31") } == 1)
        }
        let coloured = view.frame(
            columns: columns, rows: rows, now: .now, style: WatchView.Style(isUnicode: true, isColored: true))
        #expect(coloured.contains { $0.hasPrefix("\u{1B}[7m> 31") && $0.hasSuffix("\u{1B}[0m") })
    }

    @Test func onlyWhatDiffersIsWritten() {
        #expect(
            Screen.changes(from: ["a", "b", "c"], to: ["a", "x"]) == "\u{1B}[2;1Hx\u{1B}[K\u{1B}[3;1H\u{1B}[K"
        )
        #expect(Screen.changes(from: ["a"], to: ["a"]).isEmpty)
        #expect(Screen.changes(from: nil, to: ["a"]) == "\u{1B}[1;1Ha\u{1B}[K")
    }

    @Test(arguments: [
        ("j", [Key.letter("j")]), ("\u{1B}[A\u{1B}OB", [.up, .down]),
        ("\r", [Key.enter]), ("a\nb", [.letter("a"), .enter, .letter("b")]),
        ("\u{1B}[5~q", [.pageUp, .letter("q")]),
        ("\u{1B}", []), ("\u{1B}[", []), ("\u{1B}[1;5Cc", [.letter("c")]), ("é\u{7F}x", [.letter("x")]),
    ]) func keysOfBytes(bytes: String, keys: [Key]) {
        #expect(Key.read(Array(bytes.utf8)) == keys)
    }

    @Test(arguments: [
        ("name", 6, "name  "), ("a long name", 6, "a lon…"), ("世界", 4, "世界"), ("世界x", 4, "世… "),
        ("ab", 0, ""), ("e\u{301}", 2, "e\u{301} "),
    ]) func textsFillTheirCells(text: String, width: Int, expected: String) {
        #expect(text.filling(width, isUnicode: true) == expected)
    }

    @Test func terminalSignalsDoNotInterrupt() {
        let interrupts = Interrupts()
        interrupts.raise()
        #expect(interrupts.drain() == 1)
        #expect(!interrupts.isSuspended)
    }
}
