// The properties of an asset, loaded one by one.
import Foundation
import Testing
import TrimClient

@Suite(.timeLimit(.minutes(10))) struct AssetTests {
    @Test func eachPropertyIsLoaded() async throws {
        let daemon = try PrivateDaemon()
        let film = try daemon.film()
        #expect(try await film.load(.duration) == Time(4, 1))
        let tracks = try await film.load(.tracks)
        #expect(tracks.prefix(2).map(\.codec) == ["h264", "aac"])
        #expect(tracks.first?.video?.width == 320)
        #expect(try await film.load(.chapters).compactMap(\.title) == ["One", "Two"])
        #expect(try await film.load(.metadata).contains { $0.common == "title" && $0.value == "A film" })
        #expect(try await film.load(.hasProtectedContent) == false)
        #expect(try await film.load(.faults).isEmpty)
        let (keyframes, counts) = try await film.load(.keyframes, .frameCounts)
        #expect(keyframes[0] == (0..<4).map { Time($0, 1) })
        #expect(counts[0] == 100)
    }

    /// A property that was loaded is kept; others are read from the file as it is by then.
    @Test func aPropertyIsLoadedOnce() async throws {
        let daemon = try PrivateDaemon()
        let film = try daemon.film()
        #expect(try await film.load(.duration) == Time(4, 1))
        try FileManager.default.removeItem(at: film.url)
        #expect(try await film.load(.duration) == Time(4, 1))
        let error = await #expect(throws: ExportError.self) { try await film.load(.tracks) }
        #expect(error?.code == .fileNotFound)
    }

    /// Names of files are bytes.
    @Test func aNameNeedNotBeUTF8() async throws {
        let daemon = try PrivateDaemon()
        let film = try daemon.film()
        var name = Array(daemon.file("caf").path.utf8) + [0xE9] + Array(".mp4".utf8)
        name.append(0)
        let path = name.map { CChar(bitPattern: $0) }
        let old = film.url.path
        #expect(unsafe rename(old, path) == 0)
        let url = try #require(URL(string: "file://\(daemon.folder.path)/caf%E9.mp4"))
        #expect(try await Asset(url: url, socket: film.socket).load(.duration) == Time(4, 1))
    }
}
