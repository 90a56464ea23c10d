// The schema refuses everything that is not the protocol: every message of the code, changed at one position, and some lines.
import Testing
import Text

@testable import Wire

@Suite struct SchemaRefusalTests {
    let schema: SchemaValidator

    init() throws { schema = try SchemaDocuments.schema() }

    private func isRefused(_ json: JSONValue, as sample: SchemaSample) -> Bool {
        !schema.check(json, against: schema.definition(sample.definition)).faults.isEmpty
    }

    @Test func aWrongValueAnywhere() throws {
        for sample in try SchemaSample.ofEachMessage() {
            for mutant in sample.json.mutants({ _ in [("", ["mutant": []])] }) {
                #expect(isRefused(mutant.json, as: sample), "\(sample) with an object at \(mutant.change)")
            }
        }
    }

    @Test func anUnknownMemberAnywhere() throws {
        for sample in try SchemaSample.ofEachMessage() {
            let mutants = sample.json.mutants { value in
                guard var members = value.object else { return [] }
                members["mutant"] = []
                return [("", .object(members))]
            }
            for mutant in mutants {
                #expect(isRefused(mutant.json, as: sample), "\(sample) with a member at \(mutant.change)")
            }
        }
    }

    @Test func aMissingMemberOfAMinimalMessage() throws {
        // Written always, and not needed; or there for the sake of what is in it.
        let dispensable = [
            "seconds", "flags", "optimizeForNetwork", "passthrough", "alwaysEncode", "tracks[0].video",
            "tracks[1].audio",
        ]
        var count = 0
        for sample in try SchemaSample.ofEachMessage() where sample.isMinimal {
            let mutants = sample.json.mutants { value in
                guard let members = value.object?.dictionary else { return [] }
                return members.keys.map { key in (".\(key)", .object(members.filter { $0.key != key })) }
            }
            .filter { mutant in !dispensable.contains { mutant.change.hasSuffix(".\($0)") } }
            count += mutants.count
            for mutant in mutants {
                #expect(isRefused(mutant.json, as: sample), "\(sample) without \(mutant.change)")
            }
        }
        #expect(count > 200)
    }

    @Test(arguments: [
        #"{"jsonrpc":"1.0","id":1,"method":"hello"}"#, #"{"jsonrpc":"2.0","method":"hello"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"job.explode","params":{"id":1}}"#,
        #"{"jsonrpc":"2.0","id":1.5,"method":"hello"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"job.get"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"job.get","params":{"id":0}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"job.get","params":[1]}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"job.list","params":{"limit":1001}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"job.submit","params":{"input":"/a","start":5}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"job.submit","params":{"input":"/a","snap":"second"}}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"job.watch","params":{"interval":{"value":1,"timescale":0}}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"m","data":{"code":"oops"}}}"#,
        #"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":{"code":"unknown"}}}"#,
        #"{"jsonrpc":"2.0","method":"job.progress","params":{"id":1,"progress":1.5,"phase":"exporting"}}"#,
        "[]", "null",
    ])
    func aLine(_ line: String) throws {
        #expect(!schema.check(try JSONValue(parsing: Array(line.utf8))).faults.isEmpty)
    }

    @Test func anOpenSchemaTakesNewMembersOfResults() throws {
        var open = schema
        open.isClosed = false
        let line = #"{"jsonrpc":"2.0","id":1,"result":{"text":"","new":1}}"#
        let json = try JSONValue(parsing: Array(line.utf8))
        #expect(open.check(json).faults == [])
        #expect(!schema.check(json).faults.isEmpty)
    }
}
