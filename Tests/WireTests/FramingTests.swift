import Testing

@testable import Wire

@Suite struct FramingTests {
    /// All pieces of a stream cut into chunks of the given sizes.
    private func pieces(
        _ stream: [UInt8], limit: Int, chunk: (inout SystemRandomNumberGenerator) -> Int
    ) -> [LineFramer.Piece] {
        var random = SystemRandomNumberGenerator()
        var framer = LineFramer(limit: limit)
        var found: [LineFramer.Piece] = []
        var at = 0
        while at < stream.count {
            let end = min(at + chunk(&random), stream.count)
            framer.append(stream[at..<end])
            at = end
            while let piece = framer.next() { found.append(piece) }
            #expect(framer.pending <= limit)
            #expect(framer.position + framer.pending == at)
        }
        if let last = framer.finish() { found.append(last) }
        #expect(framer.finish() == nil)
        return found
    }

    @Test func linesDoNotDependOnChunks() {
        var random = SystemRandomNumberGenerator()
        for _ in 0..<200 {
            let limit = 20
            var stream: [UInt8] = []
            var expected: [LineFramer.Piece] = []
            for _ in 0..<Int.random(in: 0..<30, using: &random) {
                // Some are blank: passed over, unless they are too long.
                let isBlank = Int.random(in: 0..<4, using: &random) == 0
                let line = (0..<Int.random(in: 0..<30, using: &random)).map { _ in
                    isBlank ? 32 : UInt8.random(in: 97...122)
                }
                stream += line + [10]
                if line.count > limit || !line.isEmpty && !isBlank {
                    expected.append(line.count > limit ? .tooLong : .line(line))
                }
            }
            let tail = (0..<Int.random(in: 0..<25, using: &random)).map { _ in UInt8(ascii: "t") }
            stream += tail
            if !tail.isEmpty { expected.append(tail.count > limit ? .tooLong : .line(tail)) }
            #expect(pieces(stream, limit: limit) { _ in 1 } == expected)
            #expect(pieces(stream, limit: limit) { Int.random(in: 1...50, using: &$0) } == expected)
            #expect(pieces(stream, limit: limit) { _ in 1 << 20 } == expected)
        }
    }

    @Test func limitIsExact() {
        var framer = LineFramer(limit: 3)
        framer.append(Array("abc\nabcd\nx\n".utf8))
        #expect(framer.next() == .line(Array("abc".utf8)))
        #expect(framer.next() == .tooLong)
        #expect(framer.next() == .line(Array("x".utf8)))
        #expect(framer.next() == nil)
    }

    @Test func endlessLineTakesNoMemoryAndIsSaidOnce() {
        var framer = LineFramer(limit: 1000)
        var said = 0
        for _ in 0..<1000 {
            framer.append([UInt8](repeating: 65, count: 777))
            while let piece = framer.next() {
                #expect(piece == .tooLong)
                said += 1
            }
            #expect(framer.pending <= 1000)
        }
        framer.append(Array("\nnext\n".utf8))
        #expect(said == 1)
        #expect(framer.next() == .line(Array("next".utf8)))
    }

    @Test func blankLinesAreNoLines() {
        var framer = LineFramer()
        framer.append(Array("\n \t\r\n\r\na\r\n".utf8))
        #expect(framer.next() == .line(Array("a\r".utf8)))
        #expect(framer.next() == nil)
        framer.append(Array("   ".utf8))
        #expect(framer.finish() == nil)
    }
}
