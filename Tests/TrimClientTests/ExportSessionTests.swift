// Exports from Swift, by a real trimd: what comes out, the states on the way, and the end by a task.
import Foundation
import Testing
import TrimClient

@Suite(.timeLimit(.minutes(10))) struct ExportSessionTests {
    /// Collects the states of an export until the last one.
    private func states(of session: ExportSession) -> Task<[ExportSession.State], Never> {
        let states = session.states(updateInterval: .milliseconds(10))
        return Task { await states.reduce(into: []) { $0.append($1) } }
    }

    @Test func statesComeInOrder() async throws {
        let daemon = try PrivateDaemon()
        let session = ExportSession(asset: try daemon.film(), preset: "m4v720")
        session.timeRange = TimeRange(start: Time(1, 1), end: Time(5, 2))
        session.render = .encode
        let told = states(of: session)
        let job = try await session.export(to: daemon.file("part.m4v"))
        #expect(job.status == .completed)
        #expect(job.tracks.first?.framesEncoded == 38)
        let states = await told.value
        #expect(states.first == .waiting)
        #expect(states.last == .completed(job))
        #expect(states.filter(\.isFinal).count == 1)
        let progress = states.compactMap { if case .exporting(let progress) = $0 { progress } else { nil } }
        #expect(!progress.isEmpty)
        #expect(progress.map(\.fraction) == progress.map(\.fraction).sorted())
        let order = ExportPhase.allCases
        let phases = progress.compactMap { order.firstIndex(of: $0.phase) }
        #expect(phases == phases.sorted())
        // One who comes afterwards is told the end.
        #expect(await self.states(of: session).value == [.completed(job)])
    }

    @Test func theOutputIsWhatWasAskedFor() async throws {
        let daemon = try PrivateDaemon()
        let session = ExportSession(asset: try daemon.film())
        session.timeRanges = [
            TimeRange(start: .zero, end: Time(1, 1)), TimeRange(start: Time(5, 2), duration: Time(33, 25)),
        ]
        session.metadata = ["title": "Two parts", "com.example.id": "7"]
        session.chapters = [ChapterMark("First", at: .zero), ChapterMark("Second", at: Time(5, 2))]
        let job = try await session.export(to: daemon.file("parts.mov"), as: .mov)
        #expect(job.output == daemon.file("parts.mov").path)
        let parts = daemon.asset("parts.mov")
        let (duration, tracks, metadata, chapters) = try await parts.load(
            .duration, .tracks, .metadata, .chapters)
        #expect(duration == Time(58, 25))
        #expect(tracks.map(\.kind).prefix(2) == [.video, .audio])
        #expect(metadata.contains { $0.value == "Two parts" } && metadata.contains { $0.value == "7" })
        #expect(!metadata.contains { $0.value == "A film" || $0.value == "Somebody" })
        #expect(chapters.compactMap(\.title) == ["First", "Second"])
        #expect(chapters.map(\.start) == [.zero, Time(1, 1)])
    }

    @Test func aCancelledTaskCancelsTheJob() async throws {
        let daemon = try PrivateDaemon()
        let session = ExportSession(asset: try daemon.longFilm(), preset: "hevc1080")
        let output = daemon.file("long-part.mp4")
        let states = session.states()
        let export = Task { try await session.export(to: output) }
        for await state in states {
            if case .exporting = state { break }
        }
        export.cancel()
        let error = await #expect(throws: ExportError.self) { try await export.value }
        #expect(error?.code == .operationCancelled)
        #expect(try daemon.jobs().map(\.status) == [.cancelled])
        #expect(!daemon.exists("long-part.mp4"))
        #expect(try daemon.leftovers().isEmpty)
        #expect(await self.states(of: session).value == [.cancelled])
    }

    @Test func aTaskThatIsCancelledBeforehandSubmitsNothing() async throws {
        let daemon = try PrivateDaemon()
        let session = ExportSession(asset: try daemon.film())
        let output = daemon.file("none.mp4")
        let export = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await session.export(to: output)
        }
        export.cancel()
        let error = await #expect(throws: ExportError.self) { try await export.value }
        #expect(error?.code == .operationCancelled)
        #expect(try daemon.jobs().isEmpty)
    }

    @Test func aSessionExportsOnce() async throws {
        let daemon = try PrivateDaemon()
        let session = ExportSession(asset: try daemon.film())
        // As AVFoundation takes it: in seconds, and infinite for the changes of the state alone.
        let states = session.states(updateInterval: .infinity)
        try await session.export(to: daemon.file("once.mp4"))
        var last: ExportSession.State?
        for await state in states { last = state }
        #expect(last?.isFinal == true)
        let error = await #expect(throws: ExportError.self) {
            try await session.export(to: daemon.file("twice.mp4"))
        }
        #expect(error?.code == .invalidRequest)
        #expect(!daemon.exists("twice.mp4"))
    }
}
