// Every parser that is ours, fed what is nearly right: lines of the protocol, times, presets, command lines. Each answers or
// throws, and what it took it says again in the same words. The same seed gives the same texts; Tests/Fuzz goes further, led
// by what the code does (`make test-fuzz`).
import FoundationEssentials
import Media
import MediaTime
import Testing
import Wire

@testable import trimctl

@Suite(.timeLimit(.minutes(60))) struct MutationTests {
    /// Numbers that come again with their seed (splitmix64).
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var z = state
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
    }

    /// What parsers are apt to fall over.
    private static let morsels = [
        "", "0", "-", "9223372036854775807", "-9223372036854775808", "1e999", "1e-999", ".", ":", ";", "/",
        "f",
        "\"", "\\", "\\u0000", "\\ud800", "{", "}", "[", "]", ",", "null", "true", "end", "--", "=", "\u{0}",
        "\u{ff}",
        "\u{202e}", "e\u{301}", "\u{1f3ac}", " ", "\t", "\r", String(repeating: "[", count: 3000),
        String(repeating: "9", count: 400), "2147483648", "00:00:59;00", "é",
    ].map { Array($0.utf8) }

    /// A text with a few things wrong.
    private static func spoiled(_ seeds: [[UInt8]], _ dice: inout Dice) -> [UInt8] {
        var text = seeds.randomElement(using: &dice) ?? []
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
            let place = Int.random(in: 0...text.count, using: &dice)
            let length = min(Int.random(in: 0...8, using: &dice), text.count - place)
            switch Int.random(in: 0..<6, using: &dice) {
            case 0: text.removeSubrange(place..<place + length)
            case 1: text.insert(contentsOf: morsels.randomElement(using: &dice) ?? [], at: place)
            case 2: if place < text.count { text[place] ^= 1 << UInt8.random(in: 0..<8, using: &dice) }
            case 3: text.insert(contentsOf: text[place..<place + length], at: place)
            case 4:
                let other = seeds.randomElement(using: &dice) ?? []
                let rest = other.suffix(Int.random(in: 0...other.count, using: &dice))
                text.replaceSubrange(place..., with: rest)
            default:
                text.replaceSubrange(place..<place + length, with: morsels.randomElement(using: &dice) ?? [])
            }
        }
        return text
    }

    /// Feeds a parser; how many texts it took. A text that brings it down is the last line of the output.
    private func feed(_ seeds: [String], rounds: Int, _ parse: ([UInt8]) throws -> Bool) throws -> Int {
        var dice = Dice(state: 1)
        let seeds = seeds.map { Array($0.utf8) }
        var taken = 0
        // Unspoiled they are taken, or the test tells nothing.
        for seed in seeds { #expect(try parse(seed), "\(String(decoding: seed, as: UTF8.self))") }
        for _ in 0..<rounds where try parse(Self.spoiled(seeds, &dice)) { taken += 1 }
        return taken
    }

    @Test func lines() throws {
        let seeds = [
            #"{"jsonrpc":"2.0","id":1,"method":"job.submit","params":{"input":"/a/b.mov","start":"1:10","end":{"value":441000,"timescale":44100},"preset":"m4v720","overwrite":true,"priority":50}}"#,
            #"{"jsonrpc":"2.0","id":"x","result":[1,-2.5e3,"\u00e9\n",null,false,{"a":{"b":[[]]}}]}"#,
            #"{"jsonrpc":"2.0","method":"job.progress","params":{"id":7}}"#,
            #"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no","data":{"code":"unknown","message":"no"}}}"#,
        ]
        let taken = try feed(seeds, rounds: 4000) { (bytes: [UInt8]) throws -> Bool in
            guard let message = try? Message(parsing: bytes) else { return false }
            #expect(try Message(parsing: message.line.filter { $0 != 10 }) == message)
            if case .request(_, "job.submit", let params) = message {
                _ = try? params.decode(as: SubmitParams.self)
            }
            return true
        }
        #expect(taken > 100)
    }

    /// However a stream is cut into reads, the same lines come of it.
    @Test func frames() throws {
        var dice = Dice(state: 2)
        _ = try feed(["{\"a\":1}\n\n{\"b\":2}\r\nlonger than the limit of a line\nend"], rounds: 3000) {
            (bytes: [UInt8]) throws -> Bool in
            func pieces(_ cuts: [Int]) -> [LineFramer.Piece] {
                var framer = LineFramer(limit: 20), found: [LineFramer.Piece] = [], from = 0
                for to in cuts + [bytes.count] {
                    framer.append(bytes[from..<to])
                    while let piece = framer.next() { found.append(piece) }
                    from = to
                }
                if let last = framer.finish() { found.append(last) }
                return found
            }
            let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &dice) }.sorted()
            #expect(pieces(cuts) == pieces([]), "\(bytes) cut at \(cuts)")
            return true
        }
    }

    @Test func times() throws {
        let seeds = [
            "10", "10.5", "1:10", "00:01:10.250", "441000/44100", "250f", "01:00:10:12", "01:00:10;12", "-30",
            "end-30", "end",
        ]
        let taken = try feed(seeds, rounds: 6000) { (bytes: [UInt8]) throws -> Bool in
            let text = String(decoding: bytes, as: UTF8.self)
            guard let spelling = try? TimeSpelling.parse(text) else { return false }
            let again = try JSONValue(encoding: [spelling]).decode(as: [TimeSpelling].self)
            #expect(again == [spelling], "\(text)")
            return true
        }
        #expect(taken > 100)
    }

    @Test func presets() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Presets")
        let seeds = try ["m4v720", "m4a"].map {
            try String(contentsOf: folder.appending(path: "\($0).json"), encoding: .utf8)
        }
        let taken = try feed(seeds, rounds: 1000) { (bytes: [UInt8]) throws -> Bool in
            do {
                let preset = try PresetCatalogue.preset(json: Data(bytes))
                let again = try JSONEncoder().encode(preset)
                #expect(try PresetCatalogue.preset(json: again) == preset)
                return true
            } catch let error as MediaError {
                #expect(!error.message.isEmpty)
                return false
            }
        }
        #expect(taken > 10)
    }

    @Test func commandLines() throws {
        let seeds = [
            "export\u{1}in.mov\u{1}-o\u{1}out.m4v\u{1}--start\u{1}1:10\u{1}--end\u{1}-30\u{1}--preset\u{1}m4v720",
            "list\u{1}--limit\u{1}5\u{1}--json", "events\u{1}--since\u{1}1d", "wait\u{1}1\u{1}2", "--help",
        ]
        let taken = try feed(seeds, rounds: 3000) { (bytes: [UInt8]) throws -> Bool in
            let words = bytes.split(separator: 1, omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            do {
                _ = try Arguments.parse(words)
                return true
            } catch let error as MediaError {
                #expect(error.code.exitCode == 2, "\(words): \(error)")
                return false
            }
        }
        #expect(taken > 100)
    }
}
