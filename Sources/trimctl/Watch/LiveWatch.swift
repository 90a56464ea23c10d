// Runs the live view: waits for the daemon, keys and signals at once, and draws changes at most about fifteen times per second.
// Restores the terminal on every path: q, Ctrl-C, SIGTERM, Ctrl-Z, an error. Reconnects to a lost daemon as long as the view is
// open.
internal import Media
internal import TrimClient
internal import Wire

/// A live view of jobs.
final class LiveWatch {
    private let daemon: DaemonConnection
    private let interrupts: Interrupts
    private let console: Console
    private let screen = Screen()
    private var view: WatchView
    private var drawn = 0.0
    private var logRead = 0.0

    /// Seconds between two updates, and milliseconds after which ages are redrawn.
    private static let pause = 0.07, tick: Int32 = 500
    /// Timeout for a restarted daemon's answer.
    private static let patience = Duration.seconds(2)

    /// A view of some jobs, or all, of a connected daemon.
    init(_ daemon: DaemonConnection, _ ids: [Int64]?, _ surroundings: Surroundings) {
        self.daemon = daemon
        interrupts = surroundings.interrupts
        console = surroundings.console
        view = WatchView(ids)
    }

    /// Shows the view until the user quits, or all named jobs have ended.
    func run() throws(MediaError) -> Int32 {
        // A missing job is reported before the screen changes.
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
            try readLog()
        }
        screen.close()
        for job in view.jobs.sorted(by: { $0.id < $1.id }) { console.print(JobText(now: .now).line(job)) }
        return 0
    }

    /// Milliseconds until a pending update may be drawn; nil: none is pending.
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

    /// Stops on Ctrl-Z with the terminal restored, and continues on SIGCONT.
    private func suspend() {
        isDue = true
        guard interrupts.isSuspended else { return }
        interrupts.isSuspended = false
        screen.close()
        Terminal.suspend()
        _ = screen.open()
    }

    /// Handles keys; false: quit.
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

    /// Processes messages from the daemon; reconnects where it has gone.
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
            // Ctrl-C is handled in the next iteration.
            if error.code == .operationCancelled { return }
            guard error.code == .noDaemon else { throw error }
            lose()
        }
    }

    /// Reads the log of the job whose details are shown, at most twice a second.
    private func readLog() throws(MediaError) {
        guard let id = view.shownJob, !view.isLost, Terminal.now - logRead >= Double(Self.tick) / 1000 else {
            if view.shownJob == nil { logRead = 0 }
            return
        }
        logRead = Terminal.now
        do throws(MediaError) {
            let log: LogResult = try daemon.call(.jobLog, LogParams(id: id))
            let lines = log.text.split(separator: "\n").map(String.init)
            isDue = isDue || lines != view.log
            view.log = lines
        } catch {
            if error.code == .noDaemon { return lose() }
            // Ctrl-C is handled in the next iteration.
            if error.code != .operationCancelled { view.note = ErrorText.line(error) }
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
            case .boundary: break  // none is asked for
            case .draining(let isOn): for job in view.jobs { view.take(job.draining(isOn)) }
            }
            isDue = true
        }
    }
}
