// Which packets make a frame together, by the headers of their slices.
import Libav
import Testing

@testable import Codecs
@testable import Export

struct FieldPairingTests {
    /// The packets of a raw stream, one coded picture each.
    private func packets(_ words: [String]) throws -> (fields: [[UInt8]], scratch: Scratch) {
        let scratch = try Scratch()
        let file = try FieldFilm(type: "h264", frames: 12, words: words).make(in: scratch)
        let source = try scratch.source(file)
        return (EncodedStream.packets(source.bytes(at: 0, count: Int(source.size))), scratch)
    }

    private func roles(_ packets: [[UInt8]]) throws -> [FieldPairing.Role] {
        var pairing = try #require(FieldPairing(codec: "h264", extradata: []))
        return packets.map { pairing.role($0) }
    }

    @Test func aFieldAndTheNextOneAreAFrame() throws {
        let fields = try packets([]).fields
        try #require(fields.count == 24)
        #expect(try roles(fields) == (0..<24).map { $0 % 2 == 0 ? .first : .second })
        var pairing = try #require(FieldPairing(codec: "h264", extradata: []))
        for field in fields { _ = pairing.role(field) }
        #expect(pairing.isBottomFirst == false)
    }

    @Test func aFrameIsWholeByItself() throws {
        let mixed = try packets(["--frame-pictures", "3", "--b", "0"]).fields
        let wanted: [FieldPairing.Role] = (0..<12).flatMap {
            $0 % 3 == 2 ? [.whole] : [.first, .second] as [FieldPairing.Role]
        }
        #expect(try roles(mixed) == wanted)
    }

    @Test func bothFieldsInOnePacketAreWhole() throws {
        let fields = try packets(["--order", "bb"]).fields
        let frames = stride(from: 0, to: 24, by: 2).map { fields[$0] + fields[$0 + 1] }
        var pairing = try #require(FieldPairing(codec: "h264", extradata: []))
        #expect(frames.map { pairing.role($0) } == frames.map { _ in .whole })
        #expect(pairing.isBottomFirst == true)
    }

    /// As in decoders: where one is missing, its other one is alone, and those that follow pair again.
    @Test func aLostFieldCostsNoOtherFrame() throws {
        let fields = try packets(["--b", "0"]).fields
        for lost in [1, 6, 7, 12] {
            var rest = fields
            rest.remove(at: lost)
            let roles = try roles(rest)
            let alone = lost & ~1
            #expect(roles[..<alone] == roles[..<alone].indices.map { $0 % 2 == 0 ? .first : .second }[...])
            #expect(roles[alone] == .first)
            #expect(
                Array(roles[(alone + 1)...])
                    == (0..<(roles.count - alone - 1)).map { $0 % 2 == 0 ? .first : .second })
        }
    }

    /// Progressive streams, the most there are, are not looked into.
    @Test func framesAloneNeedNoPairing() throws {
        let stream = try EncodedStream.h264("bframes=2")
        #expect(FieldPairing(codec: "h264", extradata: stream) == nil)
        #expect(FieldPairing(codec: "vp9", extradata: []) == nil)
    }

    /// Damage may say anything; nothing may be asked for that is not there.
    @Test func damagedHeadersAreFrames() throws {
        let fields = try packets([]).fields
        var random = Seeded(5)
        for _ in 0..<200 {
            var pairing = try #require(FieldPairing(codec: "h264", extradata: []))
            for field in fields {
                var damaged = field
                for _ in 0..<3 {
                    damaged[Int.random(in: 0..<min(60, damaged.count), using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                _ = pairing.role(damaged)
            }
        }
    }
}
