// JSON Schema, as python3-jsonschema understands it: a process that answers a line with a line, one for each document.
// The processes end with the tests', when their input ends.
import Foundation
import Synchronization
import Text

@testable import Wire

/// Holds values against a schema.
struct SchemaValidator {
    /// The outcome of holding one value against one schema.
    struct Outcome {
        /// The faults, each with its position in the value.
        var faults: [String] = []
        /// The members that were met where the value fits, as `DEFINITION/member`.
        var met: Set<String> = []
    }

    /// The whole document.
    let root: JSONValue
    /// The same as text.
    private let text: String
    /// Objects whose schema says nothing about other members have none: as this version's own messages are.
    var isClosed = true

    init(root: JSONValue) {
        self.root = root
        text = String(decoding: root.encoded, as: UTF8.self)
    }

    /// The schema of a name in $defs.
    func definition(_ name: String) -> JSONValue { ["$ref": .string("#/$defs/" + name)] }

    /// Holds a value against a schema; against the whole document where none is given.
    func check(_ value: JSONValue, against schema: JSONValue? = nil) -> Outcome {
        var line: [String: JSONValue] = ["value": value]
        line["against"] = schema
        do {
            let answer = try SchemaProcess.answer(
                to: .object(line), of: #"{"schema":\#(text),"isClosed":\#(isClosed)}"#)
            return Outcome(
                faults: answer["faults"]?.array?.compactMap(\.string) ?? ["no answer"],
                met: Set(answer["met"]?.array?.compactMap(\.string) ?? []))
        } catch {
            return Outcome(faults: ["python3-jsonschema does not answer: \(error)"])
        }
    }
}

/// A running `Tests/Scripts/trimdtest/schema.py`.
private final class SchemaProcess: Sendable {
    private static let running = Mutex<[String: SchemaProcess]>([:])

    private struct Pipes {
        var input: FileHandle
        var output: FileHandle
        var rest: [UInt8] = []
    }

    private struct Ended: Error {}

    private let pipes: Mutex<Pipes>

    /// - Parameter first: the first line, which says what the process is for.
    static func answer(to line: JSONValue, of first: String) throws -> JSONValue {
        let process = try running.withLock { running in
            if let process = running[first] { return process }
            let process = try SchemaProcess(first)
            running[first] = process
            return process
        }
        return try process.answer(to: line.encoded)
    }

    private init(_ first: String, file: String = #filePath) throws {
        var scripts = URL(filePath: file)
        for _ in 0..<3 { scripts.deleteLastPathComponent() }
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-B", "-m", "trimdtest.schema"]
        process.currentDirectoryURL = scripts.appending(path: "Scripts")
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        pipes = Mutex(Pipes(input: input.fileHandleForWriting, output: output.fileHandleForReading))
        try pipes.withLock { try $0.input.write(contentsOf: Data((first + "\n").utf8)) }
    }

    private func answer(to line: [UInt8]) throws -> JSONValue {
        try pipes.withLock { pipes in
            try pipes.input.write(contentsOf: Data(line + [0x0A]))
            while true {
                if let end = pipes.rest.firstIndex(of: 0x0A) {
                    defer { pipes.rest.removeSubrange(...end) }
                    return try JSONValue(parsing: Array(pipes.rest[..<end]))
                }
                let data = pipes.output.availableData
                guard !data.isEmpty else { throw Ended() }
                pipes.rest += data
            }
        }
    }
}
