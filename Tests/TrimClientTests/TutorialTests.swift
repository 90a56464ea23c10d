// The code of the tutorial and of the guide is code that is compiled here, and that does as they say.
import Foundation
import Testing
import TrimClient

@Suite(.timeLimit(.minutes(10))) struct TutorialTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let catalogue = root.appending(path: "Sources/TrimClient/TrimClient.docc")
    private static let compiled = root.appending(path: "Tests/TrimClientTests/Tutorial")

    private func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

    @Test func theTutorialShowsTheCompiledCode() throws {
        let tutorial = try text(Self.catalogue.appending(path: "Tutorials/ExportingFromSwift.tutorial"))
        let named = tutorial.matches(of: /@Code\(name: "([^"]+)", file: "?([^",)]+)"?/).map { String($0.2) }
        #expect(named == ["CompatiblePresets.swift", "ExportWithProgress.swift", "CancelAndErrors.swift"])
        for name in named {
            let shown = try text(Self.catalogue.appending(path: "Resources/\(name)"))
            #expect(shown == (try text(Self.compiled.appending(path: name))), "\(name)")
        }
        let resources = Self.catalogue.appending(path: "Resources").path
        let shown = try FileManager.default.contentsOfDirectory(atPath: resources)
        #expect(Set(shown.filter { $0.hasSuffix(".swift") }) == Set(named))
    }

    @Test func theGuideShowsTheCompiledCode() throws {
        let section = try #require(
            try text(Self.root.appending(path: "Sources/trimctl/trimctl.docc/Guide.md")).firstMatch(
                of: /## From Swift\n(?s:.*?)```swift\n((?s:.*?))```/))
        let compiled = try text(Self.compiled.appending(path: "FromSwift.swift"))
        let shown = section.1.split(separator: "\n").map(String.init)
        #expect(shown.count > 4)
        for line in shown {
            #expect(compiled.contains("\n    \(line)\n") || compiled.contains("\(line)\n"), "\(line)")
        }
    }

    @Test func theStepsDoAsTheySay() async throws {
        let daemon = try PrivateDaemon()
        let film = try daemon.film()
        #expect(try await listPresets(for: film).contains("m4v720"))
        let job = try await exportPart(of: film, to: daemon.file("part.m4v"))
        #expect(job.status == .completed)
        #expect(try await daemon.asset("part.m4v").load(.duration) == Time(3, 2))
        let whole = await export(
            film, preset: "m4v480", to: daemon.file("whole.m4v"), within: .seconds(300))
        #expect(whole == "\(daemon.file("whole.m4v").path): 2 tracks, 0 warnings")
        let long = try daemon.longFilm()
        let cancelled = await export(
            long, preset: "hevc1080", to: daemon.file("long-part.mp4"), within: .seconds(2))
        #expect(cancelled == "cancelled: nothing was written")
        #expect(!daemon.exists("long-part.mp4"))
        let refused = await export(
            try daemon.song(), preset: "1280x720", to: daemon.file("song.mp4"), within: .seconds(300))
        #expect(refused.contains("has no video"))
        let nobody = Asset(url: film.url, socket: daemon.file("nobody").path)
        let none = await export(
            nobody, preset: "m4v720", to: daemon.file("none.m4v"), within: .seconds(300))
        #expect(none.hasPrefix("trimd does not run: start it with"))
    }
}
