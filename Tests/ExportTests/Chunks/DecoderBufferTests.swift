// The decoder's buffer: chunks put together are what their frames do one after another, and both are what a simulation in bits and
// seconds does.
import Testing

@testable import Render

struct DecoderBufferTests {
    typealias Packet = (bits: Int64, time: Int64)

    /// A track: packets in decoding order, where its chunks begin, and its end.
    struct Row {
        var packets: [Packet] = []
        var starts: [Int] = [0]
        var end: Int64 = 0

        /// Frames about as large as the buffer's rate allows, at a constant or a variable rate, some at the same time.
        init(_ random: inout Seeded, bitRate: Int64, size: Int64, timescale: Int64) {
            let step = max(1, timescale / Int64.random(in: 1...60, using: &random))
            let isVariable = Bool.random(using: &random)
            var time = Int64.random(in: -1000...1000, using: &random)
            for index in 0..<Int.random(in: 1...120, using: &random) {
                let ticks = isVariable ? Int64.random(in: 0...3 * step, using: &random) : step
                let share = ticks * bitRate / timescale
                let isHuge = Int.random(in: 0..<80, using: &random) == 0
                packets.append(
                    (Int64.random(in: 0...(isHuge ? 2 * size : 2 * share + 8), using: &random), time))
                if index > 0, Int.random(in: 0..<20, using: &random) == 0 { starts.append(index) }
                time += ticks
            }
            end = time
        }

        /// The chunks: their packets, and where each ends.
        var chunks: [(packets: ArraySlice<Packet>, end: Int64)] {
            starts.enumerated().map { number, first in
                let after = number + 1 < starts.count ? starts[number + 1] : packets.count
                return (packets[first..<after], after < packets.count ? packets[after].time : end)
            }
        }
    }

    /// The fullness after each removal and at the end, times `timescale`: bit by bit, without any summary.
    static func simulated(
        _ packets: some Sequence<Packet>, end: Int64, bitRate: Int64, size: Int64, timescale: Int64,
        from start: Int128
    ) -> (lowest: Int128, left: Int128) {
        var (fullness, lowest) = (start, start)
        var now: Int64?
        for packet in packets {
            if let now { fullness += Int128(packet.time - now) * Int128(bitRate) }
            fullness =
                min(fullness, Int128(size) * Int128(timescale)) - Int128(packet.bits) * Int128(timescale)
            lowest = min(lowest, fullness)
            now = packet.time
        }
        if let now { fullness += Int128(end - now) * Int128(bitRate) }
        return (lowest, min(fullness, Int128(size) * Int128(timescale)))
    }

    static let rates: [(bitRate: Int64, size: Int64, timescale: Int64)] = [
        (5_000_000, 10_000_000, 90_000), (1_500_000, 3_000_000, 24), (768_000, 768_000, 30_000), (1, 100, 7),
        (240_000_000, 240_000_000, 1_000_000_007),
    ]

    @Test func chunksTogetherAreTheSimulationOfTheirFrames() throws {
        var random = Seeded(16)
        var (underflows, held) = (0, 0)
        for round in 0..<2000 {
            let (bitRate, size, timescale) = Self.rates[round % Self.rates.count]
            let buffer = DecoderBuffer(bitRate: Int(bitRate), bits: Int(size), timescale: Int32(timescale))
            let row = Row(&random, bitRate: bitRate, size: size, timescale: timescale)
            let chunks = row.chunks.map { buffer.passage($0.packets, end: $0.end) }
            let whole = chunks.reduce(buffer.nothing) { $0.followed(by: $1) }
            #expect(whole == buffer.passage(row.packets, end: row.end))
            // Grouped from the other end: the order of putting together does not matter.
            #expect(whole == chunks.reversed().reduce(buffer.nothing) { $1.followed(by: $0) })

            let start = Int64.random(in: 0...buffer.size, using: &random)
            let unit = Int128(timescale) / Int128(buffer.scale)
            let truth = Self.simulated(
                row.packets, end: row.end, bitRate: bitRate, size: size, timescale: timescale,
                from: Int128(start) * unit)
            #expect(Int128(whole.lowest(from: start)) * unit == truth.lowest)
            #expect(Int128(whole.left(from: start)) * unit == truth.left)

            // The first chunk that runs empty, chunk by chunk.
            var (fullness, first) = (Int128(start) * unit, -1)
            for (index, chunk) in row.chunks.enumerated() where first < 0 {
                let step = Self.simulated(
                    chunk.packets, end: chunk.end, bitRate: bitRate, size: size, timescale: timescale,
                    from: fullness)
                if step.lowest < 0 { first = index } else { fullness = step.left }
            }
            let found = buffer.firstUnderflow(chunks, from: start)
            #expect(found?.index ?? -1 == first)
            if let found { #expect(Int128(found.fullness) * unit == fullness) }
            if found == nil { held += 1 } else { underflows += 1 }
        }
        // Both happen often, or nothing was tested.
        #expect(underflows > 200 && held > 200)
    }

    @Test func needIsTheLeastFullnessThatHolds() {
        var random = Seeded(17)
        for round in 0..<500 {
            let (bitRate, size, timescale) = Self.rates[round % Self.rates.count]
            let buffer = DecoderBuffer(bitRate: Int(bitRate), bits: Int(size), timescale: Int32(timescale))
            let row = Row(&random, bitRate: bitRate, size: size, timescale: timescale)
            let chunk = buffer.passage(row.packets, end: row.end)
            guard chunk.floor >= 0 else {
                #expect(chunk.lowest(from: buffer.size) < 0)
                continue
            }
            #expect((0...buffer.size).contains(chunk.need))
            #expect(chunk.lowest(from: chunk.need) >= 0)
            #expect(chunk.lowest(from: chunk.need - 1) < 0)
        }
    }

    @Test func aChunkThatAssumedTooMuchIsFoundWithWhatIsLeft() throws {
        // Ten frames of a tenth of a second; each second adds 1000 bits to a buffer of 1000.
        let buffer = DecoderBuffer(bitRate: 1000, bits: 1000, timescale: 10)
        #expect(buffer.scale == 1 && buffer.rate == 100 && buffer.usualStart == 900)
        func chunk(_ bits: [Int64], from first: Int64) -> DecoderBuffer.Passage {
            let packets = bits.enumerated().map { (bits: $1, time: first + Int64($0)) }
            return buffer.passage(packets, end: first + Int64(bits.count))
        }
        let (first, second) = (chunk([800, 100, 200], from: 0), chunk([700, 100, 100], from: 3))
        // Each holds with the fullness an encoder assumes, but the first leaves 100 bits.
        #expect(first.lowest(from: 900) == 0 && second.lowest(from: 900) >= 0)
        let found = try #require(buffer.firstUnderflow([first, second], from: 900))
        #expect(found.index == 1 && found.fullness == 100)
        #expect(buffer.firstUnderflow([first, chunk([100, 100, 100], from: 3)], from: 900) == nil)
    }

    @Test func aFrameLargerThanTheBufferNeverFits() {
        let buffer = DecoderBuffer(bitRate: 1000, bits: 1000, timescale: 25)
        let chunk = buffer.passage([(bits: 10, time: 0), (bits: 1001, time: 100_000)], end: 200_000)
        #expect(chunk.floor == -buffer.scale)
        #expect(buffer.firstUnderflow([chunk], from: buffer.size)?.index == 0)
        // As large as the buffer, it fits where the buffer was filled before.
        let fits = buffer.passage([(bits: 10, time: 0), (bits: 1000, time: 100_000)], end: 200_000)
        #expect(
            fits.floor == 0 && fits.need == 10 * buffer.scale && fits.left(from: fits.need) == buffer.size)
    }

    @Test func framesAtOneTimeAndTimesThatGoBackAddNothing() {
        let buffer = DecoderBuffer(bitRate: 1000, bits: 1000, timescale: 1000)
        let together = buffer.passage(
            [(bits: 300, time: 5), (bits: 300, time: 5), (bits: 300, time: 4)], end: 4)
        #expect(together == buffer.passage([(bits: 900, time: 5)], end: 5))
        #expect(buffer.passage([], end: 9) == buffer.nothing)
        #expect(
            together.followed(by: buffer.nothing) == together
                && buffer.nothing.followed(by: together) == together)
    }

    @Test func numbersBeyondSixtyFourBitsDoNotTrap() {
        let buffer = DecoderBuffer(bitRate: .max, bits: .max, timescale: .max)
        let huge = buffer.passage([(bits: .max, time: .min), (bits: .max, time: .max)], end: .min)
        let both = huge.followed(by: huge)
        #expect(both.lowest(from: .min) < 0 && both.left(from: .max) <= buffer.size)
        #expect(buffer.bits(of: .min) == 0)
    }
}
