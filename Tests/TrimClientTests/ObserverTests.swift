// Observers of a running export: boundaries once each, times that only rise, and observers that come late or go.
import Foundation
import Synchronization
import Testing
import TrimClient

@Suite(.timeLimit(.minutes(10))) struct ObserverTests {
    /// The times that an observer was called with.
    private final class Times: Sendable {
        private let times = Mutex<[Time]>([])
        var all: [Time] { times.withLock { $0 } }
        var call: @Sendable (Time) -> Void { { time in self.times.withLock { $0.append(time) } } }
    }

    @Test func boundariesArePassedOnceInOrder() async throws {
        let daemon = try PrivateDaemon()
        let session = ExportSession(asset: try daemon.film(), preset: "m4v720")
        session.timeRange = TimeRange(start: Time(1, 1), end: Time(3, 1))
        session.render = .encode
        let (inside, outside, removed) = (Times(), Times(), Times())
        session.addBoundaryTimeObserver(forTimes: [Time(3, 2), Time(2, 1), Time(3, 2)], using: inside.call)
        session.addBoundaryTimeObserver(forTimes: [Time(1, 2), Time(7, 2)], using: outside.call)
        let gone = session.addBoundaryTimeObserver(forTimes: [Time(2, 1)], using: removed.call)
        session.removeTimeObserver(gone)
        try await session.export(to: daemon.file("part.m4v"))
        #expect(inside.all == [Time(3, 2), Time(2, 1)])
        #expect(outside.all.isEmpty && removed.all.isEmpty)
    }

    /// Observers that are added while the export runs are told too. On a busy machine it may be over before they are added: then a longer
    /// one is made.
    @Test func lateObserversAreTold() async throws {
        let daemon = try PrivateDaemon()
        for seconds in [8, 32, 128, 512] where try await tellLateObservers(daemon, seconds: seconds) {
            return
        }
        Issue.record("the export was always over before")
    }

    /// - Returns: false if the export was over before observers were added.
    private func tellLateObservers(_ daemon: PrivateDaemon, seconds: Int) async throws -> Bool {
        let end = Time(Int64(seconds), 1)
        let output = daemon.file("part-\(seconds).mp4")
        let session = ExportSession(asset: try daemon.longFilm(seconds: seconds), preset: "1280x720")
        session.render = .encode
        let (periodic, boundary) = (Times(), Times())
        let states = session.states()
        let export = Task { try await session.export(to: output) }
        for await state in states {
            guard case .exporting(let progress) = state, progress.phase == .exporting else { continue }
            break
        }
        session.addPeriodicTimeObserver(forInterval: Time(1, 100), using: periodic.call)
        session.addBoundaryTimeObserver(forTimes: [Time(Int64(seconds) - 1, 1)], using: boundary.call)
        var isOver = true
        for await state in session.states() {
            if case .exporting(let progress) = state { isOver = progress.fraction > 0.8 }
            break
        }
        #expect(try await export.value.status == .completed)
        if isOver { return false }
        #expect(boundary.all == [Time(Int64(seconds) - 1, 1)])
        #expect(periodic.all.count > 1)
        #expect(zip(periodic.all, periodic.all.dropFirst()).allSatisfy { $0 < $1 })
        #expect(periodic.all.allSatisfy { $0 > .zero && $0 <= end })
        return true
    }

    @Test func progressComesNoMoreOftenThanAskedFor() async throws {
        let daemon = try PrivateDaemon()
        let session = ExportSession(asset: try daemon.longFilm(seconds: 8), preset: "1280x720")
        session.render = .encode
        func count(_ interval: Duration) -> Task<Int, Never> {
            let states = session.states(updateInterval: interval)
            return Task { await states.reduce(into: 0) { count, _ in count += 1 } }
        }
        let (often, seldom) = (count(.milliseconds(10)), count(.seconds(3600)))
        try await session.export(to: daemon.file("long-part.mp4"))
        // Waiting, each of four phases at most once, and the end.
        #expect(await seldom.value <= 6)
        #expect(await often.value > seldom.value)
    }
}
