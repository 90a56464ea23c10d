// Head and tail that join: what x264 writes with the options found, compared with the film they were found from.
import Testing

@testable import Codecs
@testable import Render

struct H264HeadTailOptionsTests {
    @Test(arguments: [
        "crf=23", "bframes=0:crf=20", "bframes=2:crf=28:b-pyramid=none", "bframes=5:b-pyramid=strict:ref=5",
        "cabac=0:8x8dct=0:ref=1", "weightp=0:weightb=0", "weightp=2:ref=4:crf=18", "constrained-intra=1",
    ])
    func setsAreEqualByteByByte(source: String) throws {
        let stream = try EncodedStream.h264(source)
        let sets = H264ParameterSets(extradata: stream[...])
        let said = SEIFilter.options(stream[...], codec: H264Codec.self, framing: .annexB)
        #expect(said["bframes"] != nil && H264HeadTailOptions.refusal(sets) == nil)
        let candidates = H264HeadTailOptions.matching(sets, said: said)
        let isMatched = try candidates.contains {
            H264ParameterSets(extradata: try EncodedStream.h264($0.text)[...]) == sets
        }
        #expect(isMatched, "\(candidates.map(\.text))")

        let other = try #require(H264HeadTailOptions.renumbered(sets, id: 7, crf: 19, said: said))
        let headTail = H264ParameterSets(extradata: try EncodedStream.h264(other.text)[...])
        #expect(headTail.sequences.map(\.set.id) == [7] && headTail.pictures.map(\.set.id) == [7])
        #expect(headTail.sequences.first?.set.width == sets.sequences.first?.set.width)
        let reorder = headTail.sequences.first?.set.vui?.maxReorder
        #expect(reorder == sets.sequences.first?.set.vui?.maxReorder)
    }

    @Test func theEncodersWordsAreTakenOut() throws {
        let packet = try EncodedStream.h264("crf=23")
        let stripped = SEIFilter.strip(packet[...], codec: H264Codec.self, framing: .annexB)
        #expect(stripped.count < packet.count)
        #expect(SEIFilter.options(stripped[...], codec: H264Codec.self, framing: .annexB).isEmpty)
        #expect(H264ParameterSets(extradata: stripped[...]) == H264ParameterSets(extradata: packet[...]))
    }
}
