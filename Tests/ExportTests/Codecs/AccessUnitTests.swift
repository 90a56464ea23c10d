// How packets are classified, on streams of real encoders.
import Testing

@testable import Codecs
@testable import Export

struct AccessUnitTests {
    private func units(
        _ stream: [UInt8], _ codec: any VideoCodec.Type = H264Codec.self, _ sets: H264ParameterSets? = nil
    ) -> [AccessUnit] {
        EncodedStream.packets(stream, isHEVC: codec is HEVCCodec.Type).map {
            codec is H264Codec.Type
                ? H264Codec.accessUnit($0[...], framing: .annexB, sets: sets)
                : codec.accessUnit($0[...], framing: .annexB)
        }
    }

    @Test func anIDRPictureIsClosedInEveryFraming() throws {
        let stream = try EncodedStream.h264("keyint=25:scenecut=0")
        let found = units(stream)
        #expect(found.count == 50)
        #expect(found.indices.filter { found[$0].randomAccess == .closed } == [0, 25])
        #expect(found.filter { $0.randomAccess == .none }.count == 48)
        #expect(found[0].sequenceSetIDs == [0] && found[0].pictureSetIDs == [0] && found[0].hasParameterSets)
        #expect(found.allSatisfy { $0.usedPictureSetIDs == [0] })
        for size in [2, 4] {
            let packet = EncodedStream.packets(stream)[25]
            let framed = try #require(NALFraming.annexB.convert(packet[...], to: .lengthPrefixed(size)))
            let unit = H264Codec.accessUnit(framed[...], framing: .lengthPrefixed(size))
            #expect(unit.randomAccess == .closed)
            #expect(NALFraming.lengthPrefixed(size).convert(framed[...], to: .annexB) == packet)
        }
    }

    @Test func aRecoveryPointIsNotClosed() throws {
        let found = units(try EncodedStream.h264("keyint=12:min-keyint=12:scenecut=0:open-gop=1:bframes=3"))
        #expect(found[0].randomAccess == .closed)
        #expect(found.dropFirst().contains { $0.randomAccess == .recoveryPoint(frames: 0) })
        #expect(!found.dropFirst().contains { $0.randomAccess == .closed })
    }

    @Test func aGradualRefreshGivesItsFrameCount() throws {
        let found = units(try EncodedStream.h264("keyint=12:intra-refresh=1:bframes=0"))
        #expect(
            found.contains {
                if case .recoveryPoint(let frames) = $0.randomAccess { frames > 0 } else { false }
            })
    }

    @Test func framesOfAnInterlacedStreamAreNoFieldPictures() throws {
        let stream = try EncodedStream.h264("keyint=25:tff=1")
        let sets = H264ParameterSets(extradata: stream[...])
        #expect(sets.sequences.first?.set.frameMBsOnly == false)
        #expect(units(stream, H264Codec.self, sets).allSatisfy { $0.isFieldPicture == false })
        #expect(units(stream).allSatisfy { $0.isFieldPicture == nil })
    }

    @Test func aCleanRandomAccessIsOpenAndItsLeadingPicturesAreSkipped() throws {
        let open = units(
            try EncodedStream.hevc("keyint=12:min-keyint=12:scenecut=0:open-gop=1:bframes=3"), HEVCCodec.self)
        #expect(open[0].sequenceSetIDs == [0] && open[0].videoSetIDs == [0] && open[0].pictureSetIDs == [0])
        #expect(open.contains { $0.randomAccess == .open } && open.contains { $0.leading == .skipped })
        let closed = units(
            try EncodedStream.hevc("keyint=12:min-keyint=12:scenecut=0:open-gop=0:bframes=3"), HEVCCodec.self)
        #expect(closed.filter { $0.randomAccess == .closed }.count == 5)
        #expect(closed.allSatisfy { $0.randomAccess != .open && $0.leading != .skipped })
    }

    @Test(arguments: [true, false]) func mpeg2GroupsKnowWhetherTheyAreClosed(isClosed: Bool) throws {
        let stream = try EncodedStream.make(
            ["-c:v", "mpeg2video", "-g", "12", "-bf", "2", "-sc_threshold", "1000000000"]
                + (isClosed ? ["-flags", "+cgop"] : []), format: "mpeg2video")
        // Each picture with the headers before it.
        var starts: [Int] = [0]
        var hasPicture = false
        for index in stream.indices.dropLast(3) where stream[index..<index + 3].elementsEqual([0, 0, 1]) {
            let code = stream[index + 3]
            if hasPicture, code == 0 || code == 0xB3 || code == 0xB8 {
                starts.append(index)
                hasPicture = false
            }
            if code == 0 { hasPicture = true }
        }
        let found = zip(starts, starts.dropFirst() + [stream.count]).map {
            MPEG12Codec.accessUnit(stream[$0..<$1], framing: .annexB)
        }
        #expect(found.count == 50)
        let points = found.filter { $0.randomAccess != .none }
        #expect(points.count == 5)
        #expect(points.dropFirst().allSatisfy { $0.randomAccess == (isClosed ? .closed : .open) })
        #expect(found.allSatisfy { $0.isFieldPicture == false && $0.temporalReference != nil })
    }

    /// Bits flipped, bytes lost and lengths torn: an answer, never a trap.
    @Test func damageIsNoTrap() throws {
        let streams: [(any VideoCodec.Type, [UInt8])] = [
            (H264Codec.self, try EncodedStream.h264("keyint=5:open-gop=1")),
            (HEVCCodec.self, try EncodedStream.hevc("keyint=5")),
        ]
        var seeded = Seeded(11)
        for (codec, stream) in streams {
            let packet = Array(stream.prefix(1500))
            let framed = try #require(NALFraming.annexB.convert(packet[...], to: .lengthPrefixed(4)))
            for round in 0..<4000 {
                let isAnnexB = round % 2 == 0
                var bytes = isAnnexB ? packet : framed
                for _ in 0..<Int.random(in: 1...8, using: &seeded) {
                    // Headers lie at the front.
                    let end = Bool.random(using: &seeded) ? min(80, bytes.count) : bytes.count
                    bytes[Int.random(in: 0..<end, using: &seeded)] = UInt8.random(in: 0...255, using: &seeded)
                }
                bytes.removeLast(Int.random(in: 0..<bytes.count, using: &seeded))
                let framing: NALFraming = isAnnexB ? .annexB : .lengthPrefixed(round % 3 + 1)
                let sets = H264ParameterSets(extradata: bytes[...])
                let units = Array(NALUnits(bytes[...], framing: framing))
                #expect(units.reduce(0) { $0 + $1.count } <= bytes.count)
                _ = codec.accessUnit(bytes[...], framing: framing)
                _ = H264Codec.accessUnit(bytes[...], framing: framing, sets: sets)
                _ = MPEG12Codec.accessUnit(bytes[...], framing: framing)
                _ = sets.avcC()
            }
        }
    }
}
