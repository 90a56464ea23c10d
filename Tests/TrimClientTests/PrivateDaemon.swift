// A real trimd for a test: trimctl's private one, on a socket in a folder of its own, with films made for the test. Both go with it.
import Foundation
import Testing
import TrimClient
import Wire

@testable import trimctl

/// A daemon of a test's own, and its folder.
final class PrivateDaemon {
    let folder: URL
    private let daemon: StandaloneDaemon

    /// Starts it, and waits until it answers.
    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(
            path: "trimd-client-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = ProcessInfo.processInfo
        let environment = process.environment.merging(["TMPDIR": folder.path]) { $1 }
        let surroundings = Surroundings(
            environment: environment, folder: folder.path, program: try PrivateDaemon.trimctl().path,
            console: Console(environment: environment), interrupts: Interrupts())
        daemon = try StandaloneDaemon.start(in: surroundings)
    }

    deinit {
        daemon.end()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The program beside which the others lie: in a folder above the program that runs the tests.
    private static func trimctl() throws -> URL {
        let named = ProcessInfo.processInfo.environment["TRIMD_PROGRAMS"].map { URL(filePath: $0) }
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        var folder = named ?? URL(filePath: own).deletingLastPathComponent()
        while folder.path != "/" {
            let program = folder.appending(path: "trimctl")
            if FileManager.default.isExecutableFile(atPath: program.path) { return program }
            folder.deleteLastPathComponent()
        }
        throw CocoaError(.fileNoSuchFile)
    }

    /// A file of the folder.
    func file(_ name: String) -> URL { folder.appending(path: name) }

    /// An asset that this daemon reads.
    func asset(_ name: String) -> Asset { Asset(url: file(name), socket: daemon.socket) }

    /// Whether a file of the folder exists.
    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: file(name).path) }

    /// The names in the folder that an unfinished export left.
    func leftovers() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".part") }
    }

    /// All jobs, newest first.
    func jobs() throws -> [JobReport] {
        let connection = DaemonConnection(path: daemon.socket, interrupts: Interrupts())
        try connection.connect()
        return try connection.call(.jobList, ListParams())
    }

    /// A film of four seconds with audio, a title and two chapters.
    func film() throws -> Asset {
        let chapters = file("chapters.txt")
        try Data(
            """
            ;FFMETADATA1
            title=A film
            artist=Somebody
            [CHAPTER]
            TIMEBASE=1/1
            START=0
            END=2
            title=One
            [CHAPTER]
            TIMEBASE=1/1
            START=2
            END=4
            title=Two

            """.utf8
        ).write(to: chapters)
        try ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=4", "-f", "lavfi", "-i",
            "sine=r=48000:d=4", "-i", chapters.path, "-map", "0", "-map", "1", "-map_chapters", "2",
            "-map_metadata", "2", "-c:v", "libx264", "-preset", "veryfast", "-g", "25", "-pix_fmt", "yuv420p",
            "-c:a", "aac", file("film.mp4").path)
        return asset("film.mp4")
    }

    /// A film that takes many seconds to encode.
    func longFilm(seconds: Int = 90) throws -> Asset {
        try ffmpeg(
            "-f", "lavfi", "-i", "testsrc2=size=1280x720:rate=25:duration=\(seconds)", "-c:v", "libx264",
            "-preset", "ultrafast", "-pix_fmt", "yuv420p", file("long.mp4").path)
        return asset("long.mp4")
    }

    /// A song, which has no video.
    func song() throws -> Asset {
        try ffmpeg("-f", "lavfi", "-i", "sine=r=48000:d=2", "-c:a", "aac", file("song.m4a").path)
        return asset("song.m4a")
    }

    private func ffmpeg(_ words: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["ffmpeg", "-v", "error", "-nostdin", "-y"] + words
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "ffmpeg \(words)")
    }
}
