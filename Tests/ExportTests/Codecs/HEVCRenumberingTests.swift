// The head of an HEVC film with parameter set ids of its own, joined with a copied middle: every frame decodes as before.
import FoundationEssentials
import Testing

@testable import Codecs
@testable import Export

struct HEVCRenumberingTests {
    private func frameHashes(_ stream: [UInt8]) throws -> [Substring] {
        let file = FileManager.default.temporaryDirectory.path + "/bits-\(UUID().uuidString).hevc"
        defer { try? FileManager.default.removeItem(atPath: file) }
        try Data(stream).write(to: URL(filePath: file))
        let text = String(decoding: try Tool.ffmpeg(["-i", file, "-f", "framemd5", "-"]), as: UTF8.self)
        return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
            $0.split(separator: " ").last
        }
    }

    @Test func aRenumberedHeadJoinsACopiedMiddle() throws {
        let middle = try EncodedStream.hevc("keyint=12:min-keyint=12:open-gop=0:bframes=3")
        let headTail = try EncodedStream.hevc("keyint=50:open-gop=0:bframes=3:qp=30:weightp=0:ref=2")
        let ids = try #require(HEVCParameterSets(extradata: middle[...]).unusedIDs)
        #expect(ids == HEVCRenumbering(video: 1, sequence: 1, picture: 15))
        for id in [15, 22, 30] {
            let ids = HEVCRenumbering(video: 1, sequence: 2, picture: id)
            let renumbered = try #require(ids.apply(headTail[...], framing: .annexB))
            let sets = HEVCParameterSets(extradata: renumbered[...])
            #expect(sets.sequenceSets.map(\.id) == [2] && sets.sequenceSets.map(\.videoSetID) == [1])
            #expect(sets.pictureIDs == [id])
            let wanted = try frameHashes(headTail) + frameHashes(middle)
            #expect(wanted.count == 100)
            #expect(try frameHashes(renumbered + middle) == wanted)
        }
    }

    @Test func aBrokenLinkIsClosed() throws {
        let stream = try EncodedStream.hevc("keyint=12:min-keyint=12:scenecut=0:open-gop=1:bframes=3")
        let packets = EncodedStream.packets(stream, isHEVC: true)
        let open = try #require(
            packets.first {
                HEVCCodec.accessUnit($0[...], framing: .annexB).randomAccess == .open
            })
        let link = HEVCRenumbering.brokenLink(open[...], framing: .annexB)
        #expect(HEVCCodec.accessUnit(link[...], framing: .annexB).randomAccess == .closed)
        #expect(zip(open, link).filter { $0 != $1 }.count == 1)
    }

    @Test func aBoxListsTheSourcesSetsFirst() throws {
        let source = HEVCParameterSets(extradata: try EncodedStream.hevc("keyint=12")[...])
        let headTail = HEVCParameterSets(
            extradata: try #require(
                HEVCRenumbering(video: 1, sequence: 1, picture: 15)
                    .apply(try EncodedStream.hevc("keyint=12:ref=1")[...], framing: .annexB))[...])
        let box = try #require(source.hvcC(adding: headTail))
        let read = HEVCParameterSets(extradata: box[...])
        #expect(
            read.sequenceSets.map(\.id) == [0, 1] && read.pictureIDs == [0, 15] && read.videos.count == 2)
        #expect(HEVCCodec.framing(extradata: box) == .lengthPrefixed(4))
        #expect(read.sequenceSets.first?.width == 160 && read.sequenceSets.first?.height == 128)
    }

    @Test func damageIsNoTrap() throws {
        let packet = Array(try EncodedStream.hevc("keyint=5").prefix(1200))
        let box = try #require(HEVCParameterSets(extradata: packet[...]).hvcC())
        let ids = HEVCRenumbering(video: 1, sequence: 1, picture: 15)
        var seeded = Seeded(5)
        for round in 0..<4000 {
            var bytes = round % 2 == 0 ? packet : box
            for _ in 0..<Int.random(in: 1...6, using: &seeded) {
                let offset = Int.random(in: 0..<min(bytes.count, 120), using: &seeded)
                bytes[offset] = UInt8.random(in: 0...255, using: &seeded)
            }
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &seeded))
            let sets = HEVCParameterSets(extradata: bytes[...])
            _ = sets.hvcC(adding: sets)
            _ = sets.unusedIDs
            _ = ids.apply(bytes[...], framing: .annexB)
            _ = HEVCRenumbering.brokenLink(bytes[...], framing: .annexB)
        }
    }
}
