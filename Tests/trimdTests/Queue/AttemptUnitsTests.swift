// The progress of an export in units: by what they cost, whatever the order in which they are made.
import Media
import Platform
import Testing
import Text

@testable import JobQueue
@testable import trimd

@Suite struct AttemptUnitsTests {
    let scratch: Scratch
    let files: UnitFolder

    init() throws {
        scratch = try Scratch()
        let target = OutputTarget(folder: scratch.path, name: "out.m4v", stem: "out")
        let request = ExportRequest(input: "/film.mov", output: target, preset: try preset())
        files = try UnitFolder(
            of: Job(
                id: 1, user: 1, state: .running, request: request, source: source, priority: 50, attempts: 1,
                interruptions: 0, crashes: 0, failures: 0, created: .now))
    }

    /// Chunks of video of so many seconds each, and tracks of audio as long as all of them.
    private func units(chunks: Int, of seconds: Double, tracks: Int) -> AttemptUnits {
        let units = (0..<chunks + tracks).map { number in
            ExportUnit(
                number: number, kind: number < chunks ? .video : .audio, work: .null,
                seconds: number < chunks ? seconds : seconds * Double(chunks), memory: 0)
        }
        return AttemptUnits(JobUnits(UnitPlan(plan: .null, fingerprint: "", units: units)), files)
    }

    private func finish(_ number: Int, of work: inout AttemptUnits) throws {
        var row = try #require(work.rows[number])
        let file = FileIdentity(device: 1, inode: UInt64(number), size: 10, modified: 0)
        row.finish(file, UnitReport(number: number, bytes: 10, details: .null), .now)
        work.take(row)
    }

    /// The share of the chunks that is made is the progress, to a tenth, whether the audio is made or not.
    @Test(arguments: [1, 2, 3]) func audioIsLittleOfTheWork(_ tracks: Int) throws {
        for chunks in [2, 10, 60] {
            var work = units(chunks: chunks, of: 2, tracks: tracks)
            for track in 0..<tracks { try finish(chunks + track, of: &work) }
            #expect(work.progress.fraction < 0.1)
            for chunk in 0..<chunks {
                try finish(chunk, of: &work)
                #expect(abs(work.progress.fraction - Double(chunk + 1) / Double(chunks)) < 0.1)
                #expect(abs(work.openShare + work.progress.fraction - 1) < 1e-6)
            }
            #expect(work.isDone && work.progress.fraction > 1 - 1e-6)
        }
    }

    @Test func audioAloneIsAllOfIt() throws {
        var work = units(chunks: 0, of: 0, tracks: 2)
        try finish(0, of: &work)
        #expect(abs(work.progress.fraction - 0.5) < 1e-6)
    }
}
