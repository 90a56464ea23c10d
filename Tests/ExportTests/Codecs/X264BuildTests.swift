// The x264 build that a stream names, and frames that are made to name one.
import Testing

@testable import Codecs
@testable import Export

struct X264BuildTests {
    @Test func onlyTheFirstFrameNamesTheBuild() throws {
        let packets = EncodedStream.packets(try EncodedStream.h264("keyint=10"))
        let build = try #require(X264Build.named(in: packets[0][...], framing: .annexB))
        #expect(build >= 151 && build < 1000)
        for packet in packets.dropFirst() {
            #expect(X264Build.named(in: packet[...], framing: .annexB) == nil)
        }
    }

    @Test(arguments: [NALFraming.annexB, .lengthPrefixed(4), .lengthPrefixed(2)])
    func aFrameIsMadeToNameABuild(_ framing: NALFraming) throws {
        let packets = EncodedStream.packets(try EncodedStream.h264("keyint=10:aud=1"))
        let packet = try #require(NALFraming.annexB.convert(packets[10][...], to: framing))
        let named = X264Build.put(142, into: packet, framing: framing)
        #expect(X264Build.named(in: named[...], framing: framing) == 142)
        // Once is enough, and the slices stay what they are.
        #expect(X264Build.put(7, into: named, framing: framing) == named)
        let slices = { (packet: [UInt8]) in
            NALUnits(packet[...], framing: framing).filter { (1...5).contains(($0.first ?? 0) & 31) }.map(
                Array.init)
        }
        #expect(slices(named) == slices(packet))
        let kinds = NALUnits(named[...], framing: framing).map { ($0.first ?? 0) & 31 }
        #expect(kinds.first == 9 && kinds.contains(6))
    }

    @Test(
        arguments: [
            ("x264 - core 142 r2431", 142), ("x264 - core 0000", 67), ("x264 - core ", nil),
            ("x264 - core 0", nil),
            ("x265 (build 199)", nil), ("x264 - core 99999999999999999999", 999_999),
        ] as [(String, Int?)]) func theNumberIsRead(_ words: String, _ build: Int?)
    {
        let message = SEIMessage(
            type: 5, payload: ([UInt8](repeating: 1, count: 16) + Array(words.utf8))[...])
        let unit = [6] + EmulationPrevention.escape(message.bytes + [0x80])
        let packet = NALFraming.annexB.join([unit[...], [0x65, 1, 2][...]]) ?? []
        #expect(X264Build.named(in: packet[...], framing: .annexB) == build)
    }

    @Test func onlyWhatDecodersReadDifferentlyCounts() throws {
        let usual = H264ParameterSets(extradata: try EncodedStream.h264("bframes=0")[...])
        let lossless = H264ParameterSets(extradata: try EncodedStream.h264("qp=0")[...])
        for (build, sets, changes) in [
            (142, usual, false), (33, usual, true), (34, usual, false), (142, lossless, true),
            (150, lossless, true), (151, lossless, false), (164, lossless, false),
        ] { #expect(X264Build.changesDecoding(build, sets) == changes, "\(build)") }
    }
}
