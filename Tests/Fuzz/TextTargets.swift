// Input that people write: times, ranges, presets, settings, command lines.
import Foundation
import Media
import MediaTime
import Text
import Wire

@testable import trimctl
@testable import trimd

extension FuzzTarget {
    /// Texts of one line, and files of settings.
    static let texts = [
        json(
            "json", .message, #"{"a":[1,-2.5e3,"\u00e9\n",null,false,{"b":[[]]}],"a":18446744073709551616}"#),
        json("json-file", .file, "\u{FEFF}{\"$schema\": \"x\",\n\"a\": [1.50, \"\\u0000\",],\"a\": 2}"),
        json("json5", .json5, "{version: 1, 'a': [+.5, 0x1F, 'It\\x41\\v'], /* b */ b: undefined, // c\n}"),
        FuzzTarget(
            name: "time",
            seeds: [
                "10", "10.5", "1:10", "00:01:10.250", "441000/44100", "250f", "01:00:10:12", "01:00:10;12",
                "-30", "end-30", "end", ".5", "1m10s", "1h2m3.5s", "00:01:10,250", "-1f", "end-2f",
            ]
        ) { bytes in
            guard let spelling = try? TimeSpelling.parse(String(decoding: bytes, as: UTF8.self)) else {
                return false
            }
            let again = try? JSONValue(encoding: [spelling]).decode(as: [TimeSpelling].self)
            precondition(again == [spelling], "said again, it is another time")
            return true
        },
        FuzzTarget(
            name: "preset", seeds: ["m4v720", "m4a", "prores422"].compactMap { preset($0) }
        ) { bytes in
            guard let preset = try? PresetCatalogue.preset(json: Data(bytes)) else { return false }
            let again = (try? JSONEncoder().encode(preset)).flatMap { try? PresetCatalogue.preset(json: $0) }
            precondition(again == preset, "said again, it is another preset")
            return true
        },
        FuzzTarget(
            name: "settings",
            seeds: [
                #"{"workers":2,"state":"/var/lib/trimd","socket":"/run/trimd/trimd.sock","sandbox":"required","presetFolders":["/a"],"limits":{"jobSeconds":86400}}"#,
                "{}",
            ]
        ) { bytes in
            do throws(MediaError) {
                _ = try Settings.parse(bytes, "/etc/trimd/trimd.json")
                return true
            } catch {
                precondition(!error.message.isEmpty && error.code.exitCode != 0, "a refusal says why")
                return false
            }
        },
        FuzzTarget(
            name: "command",
            seeds: [
                "export\u{1}in.mov\u{1}-o\u{1}out.m4v\u{1}--start\u{1}1:10\u{1}--end\u{1}-30\u{1}--preset\u{1}m4v720",
                "list\u{1}--limit\u{1}5\u{1}--json", "events\u{1}--since\u{1}1d", "wait\u{1}1\u{1}2",
                "--help",
                "batch\u{1}list.csv\u{1}--jobs\u{1}2\u{1}--resume",
            ]
        ) { bytes in
            let words = bytes.split(separator: 1, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            do throws(MediaError) {
                _ = try trimctl.Arguments.parse(words)
                return true
            } catch {
                precondition(error.code.exitCode == 2, "a wrong command line is exit code 2")
                return false
            }
        },
    ]

    /// A terminal's answers to the questions about pictures: keys and rubbish may lie among them.
    static let terminal = FuzzTarget(
        name: "terminal",
        seeds: [
            "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}P>|kitty(0.35)\u{1B}\\\u{1B}[6;20;10t\u{1B}[?62;4;22c",
            "\u{1B}[?1;2c",
        ]
    ) { bytes in
        let answers = TerminalAnswers(bytes)
        precondition(answers.name?.utf8.allSatisfy { 0x20...0x7E ~= $0 } ?? true, "a name is printable")
        precondition(
            answers.cell.map { 1...256 ~= $0.width && 1...256 ~= $0.height } ?? true, "a cell has a size")
        return answers.isComplete
    }

    /// The parser of JSON: its tree is written and read back the same, and lies on lines that the text has.
    private static func json(_ name: String, _ dialect: JSONDialect, _ seed: String) -> FuzzTarget {
        FuzzTarget(name: name, seeds: [seed]) { bytes in
            let lines = 1...(1 + bytes.count(where: { $0 == 10 }))
            do throws(JSONFault) {
                let tree = try JSONValue(parsing: bytes, as: dialect)
                precondition(lines.contains(tree.line), "a value stands on a line of its text")
                let again = try? JSONValue(parsing: tree.encoded, as: dialect)
                // JSON5 may spell what it may not escape, and numbers with zeros before them.
                precondition(
                    again == tree || again == nil && dialect == .json5, "said again, it is another value")
                return true
            } catch {
                precondition(lines.contains(error.line), "a fault stands on a line of the text")
                return false
            }
        }
    }

    private static func preset(_ id: String) -> String? {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Presets")
        return try? String(contentsOf: folder.appending(path: "\(id).json"), encoding: .utf8)
    }
}
