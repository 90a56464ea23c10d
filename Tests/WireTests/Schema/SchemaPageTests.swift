// The page about the protocol that people read: its examples are messages of the schema, and it leaves out
// no word.
import Foundation
import Testing
import Text

@testable import Wire

@Suite struct SchemaPageTests {
    @Test func itsExamplesFit() throws {
        let schema = try SchemaDocuments.schema()
        let page = try SchemaDocuments.page()
        let parts = page.components(separatedBy: "```json\n").dropFirst()
        var met: Set<String> = []
        for part in parts {
            let text = part.components(separatedBy: "```").first ?? ""
            let outcome = schema.check(try JSONValue(parsing: Array(text.utf8)))
            #expect(outcome.faults == [], "\(text)")
            met.formUnion(outcome.met)
        }
        for method in Method.allCases { #expect(met.contains("\(method.rawValue).request/method")) }
        for name in Wire.Notification.allCases {
            #expect(met.contains("\(name.rawValue).notification/method"))
        }
    }

    @Test func itNamesEveryWord() throws {
        let schema = try SchemaDocuments.schema()
        let page = try SchemaDocuments.page()
        let methods = Method.allCases.map(\.rawValue) + Wire.Notification.allCases.map(\.rawValue)
        for name in methods { #expect(page.contains("\n### \(name)\n"), "\(name)") }
        let words = ["ErrorCode", "EventKind", "JobStatus", "ExportPhase", "RenderMode", "FaultCode"]
        for word in words.flatMap(schema.words) { #expect(page.contains("`\(word)`"), "\(word)") }
    }
}
