// Three nodes that share a queue in a PostgreSQL: a sample of what `make test-fleet` does at length.
import Foundation
import Testing

/// Whether there is a PostgreSQL.
private let isInstalled =
    ((try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []).isEmpty == false

@Suite(.enabled(if: isInstalled), .serialized, .timeLimit(.minutes(10))) struct FleetTests {
    /// Jobs while nodes and database are disturbed; and one of the long parts, another in another run: a film on three nodes, of which
    /// two are killed, or a database that goes.
    private static let sample = [
        ["jobs", "--jobs", "8"],
        Bool.random() ? ["film", "--seconds", "24"] : ["away", "--seconds", "16"],
    ]

    @Test(arguments: sample)
    func nodesShareTheirWork(_ words: [String]) throws {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let output = Pipe()
        let process = Process()
        process.executableURL = tests.appending(path: "Scripts/fleet/fleet-check")
        process.arguments = [Rig.programs.path, "--only"] + words
        (process.standardInput, process.standardOutput, process.standardError) = (
            FileHandle.nullDevice, output, output
        )
        try process.run()
        let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && !said.contains("WRONG"), "\(said)")
        #expect(said.contains("ok    "), "\(said)")
    }
}
