// The protocol's schema against the code: all that the code's types make fits it, and it describes nothing
// else.
import Media
import MediaTime
import Testing
import Text

@testable import Wire

@Suite struct SchemaTests {
    let schema: SchemaValidator

    init() throws { schema = try SchemaDocuments.schema() }

    private func fits(_ json: JSONValue, _ definition: String) -> Bool {
        schema.check(json, against: schema.definition(definition)).faults.isEmpty
    }

    @Test func everyMessageFits() throws {
        for sample in try SchemaSample.all() {
            let own = schema.check(sample.json, against: schema.definition(sample.definition))
            #expect(own.faults == [], "\(sample)")
            #expect(schema.check(sample.json).faults == [], "\(sample) as a line")
        }
    }

    @Test func everyErrorFits() throws {
        var errors: [RemoteError] = [.parse("p"), .invalidRequest("i"), .internalError("e")]
        for code in ErrorCode.allCases {
            let bare = MediaError(code, "m")
            let full = MediaError(code, "m", time: .rounded, track: 1, remedy: "r")
            errors += [RemoteError(bare), RemoteError(bare, kind: .methodNotFound)]
            errors += [RemoteError(full), RemoteError(full, kind: .invalidParams)]
            #expect(fits(try JSONValue(encoding: bare), "MediaError"))
            #expect(fits(try JSONValue(encoding: full), "MediaError"))
        }
        for error in errors {
            let sample = try SchemaSample("Failure", .failure(id: .null, error: error), isMinimal: false)
            #expect(schema.check(sample.json).faults == [], "\(error.code)")
        }
    }

    @Test func errorsOfTheConnectionFit() throws {
        let scratch = try Scratch()
        let service = try Service(scratch)
        defer { service.stop() }
        var reported: [RemoteError] = []
        do throws(WireError) {
            try Client(path: service.path).call("big")
        } catch {
            guard case .remote(let error) = error else { throw error }
            reported.append(error)
        }
        var limits = Listener.Limits()
        limits.connections = 0
        let another = try Scratch()
        let full = try Service(another, limits: limits)
        defer { full.stop() }
        if case .failure(_, let error) = try RawPeer(full.path).message() { reported.append(error) }
        #expect(reported.map(\.code) == ["answerTooLong", "serverBusy"])
        for error in reported { #expect(fits(error.json, "Error"), "\(error.code)") }
    }

    @Test func namesAreThoseOfTheCode() throws {
        let methods = Method.allCases.map(\.rawValue)
        let notifications = Wire.Notification.allCases.map(\.rawValue)
        let alternatives = { (name: String, keyword: String) in
            schema.root["$defs"]?[name]?[keyword]?.array?.compactMap { $0["$ref"]?.string } ?? []
        }
        #expect(alternatives("Request", "oneOf") == methods.map { "#/$defs/\($0).request" })
        #expect(alternatives("Response", "anyOf") == methods.map { "#/$defs/\($0).response" })
        #expect(alternatives("Notification", "oneOf") == notifications.map { "#/$defs/\($0).notification" })
        #expect(schema.words("ErrorCode") == ErrorCode.allCases.map(\.rawValue))
        #expect(schema.words("EventKind") == JobEvent.Kind.allCases.map(\.rawValue))
        #expect(schema.words("JobStatus") == JobStatus.allCases.map(\.rawValue))
        #expect(schema.words("ExportPhase") == ExportPhase.allCases.map(\.rawValue))
        #expect(schema.words("RenderMode") == RenderMode.allCases.map(\.rawValue))
        #expect(schema.words("Snap") == Snap.allCases.map(\.rawValue))
        let types = try SchemaDocuments.presets()["$defs"]?["FileType"]?["enum"]?.array
        #expect(types?.compactMap(\.string) == FileType.allCases.map(\.rawValue))
        // These have no list in the code; a new case makes `ordinal` fail to compile.
        #expect(schema.words("TrackKind").map { TrackKind(rawValue: $0).map(ordinal) } == Array(0..<5))
        #expect(schema.words("FaultCode").map { Fault.Code(rawValue: $0).map(ordinal) } == Array(0..<15))
        #expect(
            schema.words("FieldOrder").map { VideoFormat.FieldOrder(rawValue: $0).map(ordinal) }
                == Array(0..<4))
        #expect(
            schema.root["$defs"]?["Error"]?["properties"]?["code"]?["enum"]
                == .array(RemoteError.Kind.allCases.map { .int(Int64($0.rawValue)) }))
    }

    @Test func nothingElseIsDescribed() throws {
        var met: Set<String> = []
        for sample in try SchemaSample.all() { met.formUnion(schema.check(sample.json).met) }
        let error = MediaError(.decodeFailed, "m", time: .zero, track: 1, remedy: "r")
        let failure = Message.failure(id: .int(1), error: RemoteError(error))
        met.formUnion(schema.check(try SchemaSample("Failure", failure, isMinimal: false).json).met)
        // Nothing of the code has these: a later pass of a loop, keys of files alone, empty parameters.
        met.formUnion(["Time/epoch", "PresetFile/$schema", "PresetFile/extends"])
        for method in Method.allCases { met.insert("\(method.rawValue).request/params") }
        let presets = try SchemaDocuments.presets()
        var definitions = [("PresetFile", presets)]
        for root in [schema.root, presets] {
            definitions += try #require(root["$defs"]?.object).members.map { ($0.name, $0.value) }
        }
        for (name, definition) in definitions {
            for key in definition["properties"]?.object?.names.map({ $0 }) ?? [] {
                #expect(met.contains("\(name)/\(key)"), "no message has it")
            }
        }
    }
}

// Where a case stands in the schema's list.
private func ordinal(_ kind: TrackKind) -> Int {
    switch kind {
    case .video: 0
    case .audio: 1
    case .subtitle: 2
    case .data: 3
    case .attachment: 4
    }
}

private func ordinal(_ order: VideoFormat.FieldOrder) -> Int {
    switch order {
    case .progressive: 0
    case .topFieldFirst: 1
    case .bottomFieldFirst: 2
    case .unknown: 3
    }
}

private func ordinal(_ code: Fault.Code) -> Int {
    switch code {
    case .openGOP: 0
    case .missingDuration: 1
    case .truncated: 2
    case .encrypted: 3
    case .noInitialKeyframe: 4
    case .decodeErrors: 5
    case .unknownCodec: 6
    case .lateTrack: 7
    case .estimatedDuration: 8
    case .noTimestamps: 9
    case .playlistMark: 10
    case .unreadRendition: 11
    case .gap: 12
    case .clockJump: 13
    case .editRate: 14
    }
}
