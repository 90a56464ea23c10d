// Questions before an export: presets, reasons, estimates.
import Foundation
import Testing
import TrimClient

@Suite(.timeLimit(.minutes(10))) struct CompatibilityTests {
    @Test func presetsAreThoseThatFit() async throws {
        let daemon = try PrivateDaemon()
        let (film, song) = (try daemon.film(), try daemon.song())
        let all = try await ExportSession.allExportPresets(socket: film.socket)
        let forFilm = try await ExportSession.exportPresets(compatibleWith: film)
        let forSong = try await ExportSession.exportPresets(compatibleWith: song)
        #expect(Set(forFilm).union(forSong).isSubset(of: all))
        #expect(forFilm.contains("m4v720") && forFilm.contains("m4a"))
        #expect(forSong.contains("m4a") && !forSong.contains("1280x720"))
    }

    @Test func aRefusedPresetHasReasons() async throws {
        let daemon = try PrivateDaemon()
        let song = try daemon.song()
        let refused = try await ExportSession.compatibility(ofExportPreset: "1280x720", with: song)
        #expect(refused.id == "1280x720" && !refused.valid)
        #expect(refused.reasons.map(\.code) == ["noVideoTrack"])
        #expect(refused.reasons.first?.remedy != nil)
        let film = try daemon.film()
        let valid = try await ExportSession.compatibility(
            ofExportPreset: "passthrough", with: film, outputFileType: .mov)
        #expect(valid.valid && valid.render == .copy)
        let typed = try await ExportSession.compatibility(
            ofExportPreset: "passthrough", with: film, outputFileType: .webm)
        #expect(!typed.valid && typed.reasons.contains { $0.code == "codecNotInContainer" })
        // Of a file that is no media there is nothing to say.
        try Data("no film".utf8).write(to: daemon.file("text.mp4"))
        let error = await #expect(throws: ExportError.self) {
            try await ExportSession.compatibility(ofExportPreset: "m4v720", with: daemon.asset("text.mp4"))
        }
        #expect(error?.code == .fileFormatNotRecognized)
    }

    @Test func estimatesAreNearTheOutput() async throws {
        let daemon = try PrivateDaemon()
        let session = ExportSession(asset: try daemon.film(), preset: "m4v720")
        session.render = .encode
        let whole = try #require(try await session.estimatedOutputFileLength)
        session.timeRange = TimeRange(start: .zero, end: Time(2, 1))
        let half = try #require(try await session.estimatedOutputFileLength)
        #expect(half < whole)
        let bytes = try #require(try await session.export(to: daemon.file("half.m4v")).bytes)
        #expect((bytes / 5...bytes * 5).contains(half))
    }

    @Test func aLimitBoundsTheDurationAndTheOutput() async throws {
        let daemon = try PrivateDaemon()
        let session = ExportSession(asset: try daemon.film(), preset: "m4v480")
        #expect(try await session.estimatedMaximumDuration == .positiveInfinity)
        session.fileLengthLimit = 60_000
        let fits = try await session.estimatedMaximumDuration
        #expect(fits.isNumeric && fits > .zero)
        let bytes = try #require(try await session.export(to: daemon.file("small.m4v")).bytes)
        #expect(bytes <= 60_000)
    }
}
