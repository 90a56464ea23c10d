import Testing

@testable import Wire

@Suite struct OutboxTests {
    /// Takes everything out.
    private func drain(_ outbox: inout Outbox) -> [String] {
        var lines: [String] = []
        while let front = outbox.front() {
            lines.append(String(decoding: front.bytes[front.offset...], as: UTF8.self))
            outbox.sent(front.bytes.count - front.offset)
        }
        return lines
    }

    @Test func newestOfAKeyAtTheEnd() {
        var outbox = Outbox()
        outbox.append(Array("1".utf8), key: "a")
        outbox.append(Array("2".utf8))
        outbox.append(Array("3".utf8), key: "b")
        outbox.append(Array("4".utf8), key: "a")
        #expect(outbox.count == 3)
        #expect(drain(&outbox) == ["2", "3", "4"])
        #expect(outbox.isEmpty && outbox.size == 0 && outbox.count == 0)
    }

    @Test func whatIsBeingSentStays() {
        var outbox = Outbox()
        outbox.append(Array("abc".utf8), key: "a")
        #expect(outbox.front()?.offset == 0)
        outbox.sent(1)
        outbox.append(Array("new".utf8), key: "a")
        #expect(outbox.front()?.offset == 1)
        #expect(drain(&outbox) == ["bc", "new"])
    }

    /// Against a plain model, with sending in between.
    @Test func behavesLikeTheModel() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var outbox = Outbox()
            var model: [(key: String?, text: String)] = []
            var got: [String] = []
            var expected: [String] = []
            for step in 0..<Int.random(in: 1...300, using: &random) {
                if Int.random(in: 0..<3, using: &random) > 0 {
                    let key = Int.random(in: 0..<4, using: &random)
                    let name = key == 0 ? nil : "k\(key)"
                    if let name { model.removeAll { $0.key == name } }
                    model.append((name, "\(step)"))
                    outbox.append(Array("\(step)".utf8), key: name)
                } else if let front = outbox.front() {
                    got.append(String(decoding: front.bytes, as: UTF8.self))
                    outbox.sent(front.bytes.count)
                    expected.append(model.removeFirst().text)
                }
                #expect(outbox.count == model.count)
            }
            got += drain(&outbox)
            expected += model.map(\.text)
            #expect(got == expected)
            #expect(outbox.size == 0)
        }
    }

    @Test func blockedReaderCostsOneLineAKey() {
        var outbox = Outbox()
        outbox.append([1])
        for step in 0..<100_000 { outbox.append([UInt8(step & 255)], key: "k\(step % 3)") }
        #expect(outbox.count == 4)
        #expect(outbox.size < 4 * 200)
    }
}
