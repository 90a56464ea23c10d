// Every kind of error, as a program meets it: its case, its code, and that nothing is written.
import Foundation
import Testing
import TrimClient

@Suite(.timeLimit(.minutes(10))) struct ExportErrorTests {
    /// The error of an export; nil if there is none.
    private func error(
        of asset: Asset, preset: String? = nil, to output: URL, as type: FileType? = nil,
        range: TimeRange = .all
    ) async -> ExportError? {
        let session = ExportSession(asset: asset, preset: preset)
        session.timeRange = range
        let states = session.states()
        let error = await #expect(throws: ExportError.self) {
            try await session.export(to: output, as: type)
        }
        // The sequence of states ends with it, however early it comes.
        let last = await states.reduce(into: nil) { $0 = $1 }
        #expect(last == error.map { .failed($0) })
        return error
    }

    @Test func anErrorIsDescribedForPeople() {
        let reported = MediaError(.fileNotFound, "there is no film", remedy: "name one")
        let error: any Error = ExportError(reported)
        #expect(error.localizedDescription == "there is no film")
        #expect((error as? any LocalizedError)?.recoverySuggestion == "name one")
    }

    @Test func eachErrorHasItsCase() async throws {
        let daemon = try PrivateDaemon()
        let (film, song) = (try daemon.film(), try daemon.song())
        try Data("no film at all".utf8).write(to: daemon.file("text.mp4"))
        let output = daemon.file("out.mp4")

        guard case .invalidRequest(let unknown) = await error(of: film, preset: "m4v7200", to: output) else {
            throw Unexpected()
        }
        #expect(unknown.code == .presetNotFound)
        #expect(unknown.description.contains("m4v720"))

        guard case .presetNotValid(let noVideo) = await error(of: song, preset: "1280x720", to: output) else {
            throw Unexpected()
        }
        #expect(noVideo.code == .presetNotValid)

        guard case .outputExists = await error(of: song, to: daemon.file("film.mp4")) else {
            throw Unexpected()
        }
        guard case .failed(let text) = await error(of: daemon.asset("text.mp4"), to: output) else {
            throw Unexpected()
        }
        #expect(text.code == .fileFormatNotRecognized)
        let missing = await error(of: daemon.asset("missing.mp4"), to: output)
        #expect(missing?.code == .fileNotFound)
        #expect(!daemon.exists("out.mp4"))
    }

    /// These are noticed before anything is submitted.
    @Test func whatMakesNoSenseIsNotSubmitted() async throws {
        let daemon = try PrivateDaemon()
        let film = try daemon.film()
        let output = daemon.file("out.mp4")
        let named = await error(of: film, to: output, as: .mov)
        #expect(named?.code == .outputTypeNotValid)
        #expect(named?.remedy?.contains(".mov") == true)
        let endless = TimeRange(start: .invalid, duration: .positiveInfinity)
        #expect(await error(of: film, to: output, range: endless)?.code == .invalidTime)
        let remote = Asset(url: try #require(URL(string: "https://example.com/film.mp4")))
        #expect(await error(of: remote, to: output)?.code == .invalidRequest)
        #expect(try daemon.jobs().isEmpty)
        // This one trimd notices.
        let late = TimeRange(start: Time(100, 1), end: Time(101, 1))
        guard case .invalidRequest(let past) = await error(of: film, to: output, range: late) else {
            throw Unexpected()
        }
        #expect(past.code == .invalidTime)
    }

    @Test func withoutADaemonTheErrorSaysHowToStartIt() async throws {
        let folder = FileManager.default.temporaryDirectory
        let asset = Asset(url: URL(filePath: "/film.mp4"), socket: folder.appending(path: "nobody").path)
        guard case .noDaemon(let error) = await error(of: asset, to: folder.appending(path: "out.mp4")) else {
            throw Unexpected()
        }
        #expect(error.remedy?.contains("trimd --socket") == true)
        let probed = await #expect(throws: ExportError.self) { try await asset.load(.duration) }
        #expect(probed?.code == .noDaemon)
    }

    @Test(arguments: ErrorCode.allCases) func theCaseIsTheExitCode(code: ErrorCode) {
        let error = ExportError(MediaError(code, "it is so", time: Time(1, 2), track: 3, remedy: "do so"))
        let exitCode =
            switch error {
            case .failed: 1
            case .invalidRequest: 2
            case .presetNotValid: 3
            case .cancelled: 4
            case .noDaemon: 5
            case .outputExists: 6
            case .refused: 7
            }
        #expect(exitCode == code.exitCode)
        #expect((error.code, error.message, error.remedy) == (code, "it is so", "do so"))
        #expect(error.time == Time(1, 2) && error.track == 3)
    }

    /// The error was of another case.
    private struct Unexpected: Error {}
}
