// Parameter sets, and boxes that list them, against the encoder's options and FFmpeg's own reading.
import Testing

@testable import Codecs
@testable import Export

struct H264ParameterSetsTests {
    @Test func parameterSetsMatchTheEncoderSettings() throws {
        let stream = try EncodedStream.h264(
            "ref=4:bframes=2:b-pyramid=none:8x8dct=1:cabac=1:weightp=1:crf=20:colorprim=bt709:transfer=bt709"
                + ":colormatrix=bt709:chromaloc=1:fullrange=on:sps-id=3",
            words: ["-profile:v", "high", "-level", "3.1", "-aspect", "2:1"], filters: "crop=150:110")
        let sets = H264ParameterSets(extradata: stream[...])
        let sequence = try #require(sets.sequences.first).set
        #expect(
            sequence.profile == 100 && sequence.level == 31 && sequence.id == 3 && sequence.lumaDepth == 8)
        #expect(sequence.width == 150 && sequence.height == 110 && sequence.referenceFrames == 4)
        #expect(sequence.frameMBsOnly && sequence.chromaFormat == 1)
        let vui = try #require(sequence.vui)
        #expect(vui.primaries == 1 && vui.transfer == 1 && vui.matrix == 1)
        #expect(vui.isFullRange && vui.chromaLocation == 1)
        #expect(vui.maxReorder == 1 && vui.maxBuffering == 4)
        #expect(vui.timeScale == 50 * vui.unitsInTick)
        let picture = try #require(sets.pictures.first).set
        #expect(picture.id == 3 && picture.sequenceID == 3 && picture.isCABAC && picture.transform8x8)
        #expect(picture.weightedPrediction && picture.sliceGroups == 1)
        #expect(sets.unusedID == 1 && !sets.hasConflicts && !sets.hasDamagedSets)
    }

    @Test func aBoxListsTheSourcesSetsFirst() throws {
        let source = H264ParameterSets(
            extradata: try EncodedStream.h264("ref=1", words: ["-level", "2.0"])[...])
        let headTail = H264ParameterSets(
            extradata: try EncodedStream.h264("ref=1:sps-id=5", words: ["-level", "4.0"])[...])
        let box = try #require(source.avcC(adding: headTail))
        #expect(box[3] == 40 && box[4] == 0xFF)
        let read = H264ParameterSets(extradata: box[...])
        #expect(read.sequences.map(\.set.id) == [0, 5] && read.pictures.map(\.set.id) == [0, 5])
        #expect(read.sequences.map(\.nal) == source.sequences.map(\.nal) + headTail.sequences.map(\.nal))
        #expect(H264Codec.framing(extradata: box) == .lengthPrefixed(4))
        #expect(source.avcC(adding: source) == source.avcC())
        #expect(H264ParameterSets().avcC() == nil)
    }

    @Test(arguments: ["force-cfr=1", "force-cfr=1:nal-hrd=vbr:vbv-maxrate=2000:vbv-bufsize=2000", "sps-id=2"])
    func theTimingOfAParameterSetIsChangedInPlace(_ options: String) throws {
        let source = H264ParameterSets(extradata: try EncodedStream.h264(options)[...])
        let retimed = source.retimed(fieldsPerSecond: 180_000)
        #expect(retimed.pictures == source.pictures && !retimed.hasDamagedSets)
        let (old, new) = (try #require(source.sequences.first).set, try #require(retimed.sequences.first).set)
        #expect(new.vui?.timeScale == 180_000 && new.vui?.unitsInTick == 1)
        #expect(new.vui?.isFixedRate == false)
        var restored = new
        restored.vui?.timeScale = old.vui?.timeScale ?? 0
        restored.vui?.unitsInTick = old.vui?.unitsInTick ?? 0
        restored.vui?.isFixedRate = old.vui?.isFixedRate ?? false
        #expect(restored == old)
    }

    @Test func numbersAndEscapesComeBack() {
        var writer = BitWriter()
        let numbers = [0, 1, 2, 7, 8, 255, 65_535, 1 << 31]
        for number in numbers {
            writer.ue(number)
            writer.se(-number / 2)
        }
        var reader = BitReader(writer.bytes)
        for number in numbers {
            #expect(reader.ue() == number)
            #expect(reader.se() == -number / 2)
        }
        #expect(!reader.isDamaged)
        var seeded = Seeded(3)
        for _ in 0..<500 {
            let payload = (0..<40).map { _ in UInt8.random(in: 0...4, using: &seeded) } + [0x80]
            let unit = EmulationPrevention.escape(payload)
            #expect(EmulationPrevention.unescape(unit[...]) == payload)
            #expect(Array(NALUnits(([0, 0, 1] + unit)[...], framing: .annexB)).map(Array.init) == [unit])
        }
    }
}
