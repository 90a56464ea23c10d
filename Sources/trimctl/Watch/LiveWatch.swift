// The live view at work: waits for the daemon, for keys and for signals at once, and draws what has changed, at most some
// fifteen times a second. The terminal is given back on every path: q, Ctrl-C, SIGTERM, Ctrl-Z, an error. A daemon that goes
// is waited for as long as somebody looks.
internal import Media
internal import Wire

/// A live view of jobs.
final class LiveWatch {
    private let daemon: Daemon
    private let interrupts: Interrupts
    private let console: Console
    private let screen = Screen()
    private var view: WatchView
    private var drawn = 0.0

    /// Seconds between two drawings, and milliseconds after which ages are drawn anew.
    private static let pause = 0.07, tick: Int32 = 500
    /// What a daemon that comes back must answer within.
    private static let patience = Duration.seconds(2)

    /// A view of some jobs, or of all, of a daemon that is connected.
    init(_ daemon: Daemon, _ ids: [Int64]?, _ surroundings: Surroundings) {
        self.daemon = daemon
        interrupts = surroundings.interrupts
        console = surroundings.console
        view = WatchView(ids)
    }

    /// Shows it until somebody ends it, or all named jobs have ended.
    func run() throws(MediaError) -> Int32 {
        // A job that is not there is said before the screen is taken.
        try watch()
        interrupts.installForTerminal()
        guard screen.open() else { return 0 }
        defer { screen.close() }
        while !view.isDone {
            guard draw() else { return 0 }
            let sources = [daemon.descriptor, Terminal.standardInput, interrupts.descriptor].compactMap(
                \.self)
            let wait = view.isLost ? Self.tick : min(Self.tick, untilDue ?? Self.tick)
            let ready = Terminal.wait(
                for: view.isLost ? Array(sources.suffix(2)) : sources, milliseconds: wait)
            if let signals = interrupts.descriptor, ready.contains(signals) {
                let before = interrupts.count
                if interrupts.drain() > before { return 0 }
                suspend()
            }
            if ready.contains(Terminal.standardInput), try !keys() { return 0 }
            try listen()
        }
        screen.close()
        for job in view.jobs.sorted(by: { $0.id < $1.id }) { console.print(JobText(now: .now).line(job)) }
        return 0
    }

    /// Milliseconds until something may be drawn again that is due; nil: nothing is.
    private var untilDue: Int32? {
        guard isDue else { return nil }
        return Int32(max(0, (drawn + Self.pause - Terminal.now) * 1000).rounded(.up))
    }
    private var isDue = true

    private func draw() -> Bool {
        let now = Terminal.now
        guard now - drawn >= Self.pause || !isDue else { return true }
        let (columns, rows) = screen.present
        view.fit(WatchView.page(rows: rows))
        let style = WatchView.Style(isUnicode: console.isUnicode, isColored: console.isColored)
        drawn = now
        isDue = false
        return screen.draw(view.frame(columns: columns, rows: rows, now: .now, style: style))
    }

    /// Stops as the terminal wants it, with its own screen, and goes on when it may.
    private func suspend() {
        isDue = true
        guard interrupts.isSuspended else { return }
        interrupts.isSuspended = false
        screen.close()
        Terminal.suspend()
        _ = screen.open()
    }

    /// Does what keys say; false: that is the end.
    private func keys() throws(MediaError) -> Bool {
        let bytes = Terminal.read(Terminal.standardInput)
        guard !bytes.isEmpty else { return false }
        isDue = true
        for key in Key.read(bytes) {
            switch view.press(key) {
            case .quit: return false
            case .order(let method, let id): try order(method, id)
            case nil: break
            }
        }
        return true
    }

    private func order(_ method: Method, _ id: Int64) throws(MediaError) {
        do throws(MediaError) {
            let job: JobReport = try OpenedFiles.order(method, id, to: daemon)
            view.take(job)
            view.note = JobText(now: .now).line(job)
        } catch {
            guard error.code == .noDaemon else { return view.note = ErrorText.line(error) }
            lose()
        }
    }

    /// Takes in what the daemon has told; where it has gone, tries to find it again.
    private func listen() throws(MediaError) {
        do throws(MediaError) {
            if view.isLost {
                try daemon.connect(within: Self.patience)
                try watch()
            } else {
                try daemon.takeIn()
                takeEvents()
            }
        } catch {
            // Ctrl-C meanwhile is seen in the next turn.
            if error.code == .operationCancelled { return }
            guard error.code == .noDaemon else { throw error }
            lose()
        }
    }

    private func lose() {
        isDue = isDue || !view.isLost
        view.isLost = true
    }

    private func watch() throws(MediaError) {
        view.begin(try daemon.watch(view.ids))
        takeEvents()
        isDue = true
    }

    private func takeEvents() {
        for event in daemon.takeEvents() {
            switch event {
            case .changed(let job): view.take(job)
            case .progress(let progress): view.take(progress)
            case .draining(let isOn): for job in view.jobs { view.take(job.draining(isOn)) }
            }
            isDue = true
        }
    }
}
