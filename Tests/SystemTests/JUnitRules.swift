// The rules that CI systems hold JUnit files to (the elements, attributes and their order of Jenkins' junit-10.xsd), for a
// file that a program wrote.
import Foundation
import FoundationXML
import Testing

enum JUnitRules {
    struct Counts {
        var tests = 0, failures = 0, errors = 0, skipped = 0
    }

    /// The attributes and children that an element must have and may have.
    private static let elements: [String: (must: Set<String>, may: Set<String>, holds: Set<String>)] = [
        "testsuites": ([], ["name", "time", "tests", "failures", "errors"], ["testsuite"]),
        "testsuite": (
            ["name", "tests", "failures", "errors"],
            ["group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"],
            ["testsuite", "properties", "testcase", "system-out", "system-err"]
        ),
        "testcase": (
            ["name"], ["time", "classname", "group"],
            ["skipped", "error", "failure", "system-out", "system-err"]
        ),
        "failure": ([], ["type", "message"], []), "error": ([], ["type", "message"], []),
        "skipped": ([], ["type", "message"], []), "system-out": ([], [], []), "system-err": ([], [], []),
    ]

    /// Checks a file; how many cases of each kind are in it, which its own counts must be.
    static func check(_ path: String) throws -> Counts {
        let document = try XMLDocument(data: Data(contentsOf: URL(filePath: path)))
        let root = try #require(document.rootElement())
        #expect(root.name == "testsuites")
        var counts = Counts()
        try check(root, &counts)
        for suite in root.elements(forName: "testsuite") + [root] {
            #expect(suite.attribute(forName: "tests")?.stringValue == "\(counts.tests)")
            #expect(suite.attribute(forName: "failures")?.stringValue == "\(counts.failures)")
            #expect(suite.attribute(forName: "errors")?.stringValue == "\(counts.errors)")
        }
        return counts
    }

    private static func check(_ element: XMLElement, _ counts: inout Counts) throws {
        let name = element.name ?? ""
        let rule = try #require(elements[name], "the element \(name)")
        let attributes = Set((element.attributes ?? []).compactMap(\.name))
        #expect(rule.must.isSubset(of: attributes), "\(name)")
        #expect(attributes.isSubset(of: rule.must.union(rule.may)), "\(name) \(attributes)")
        if let time = element.attribute(forName: "time")?.stringValue {
            #expect(time.wholeMatch(of: /[0-9]+\.[0-9]{3}/) != nil, "\(time)")
        }
        switch name {
        case "testcase": counts.tests += 1
        case "failure": counts.failures += 1
        case "error": counts.errors += 1
        case "skipped": counts.skipped += 1
        default: break
        }
        for child in element.children ?? [] {
            guard let inner = child as? XMLElement else { continue }
            #expect(rule.holds.contains(inner.name ?? ""), "\(inner.name ?? "") in \(name)")
            try check(inner, &counts)
        }
    }
}
