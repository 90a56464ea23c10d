// The bytes of an encode do not depend on what was in the memory before that encoders get.
import CLinux
import Export
import Foundation
import Libav
import Media
import MediaTime
import Testing

@testable import Codecs

@Suite struct EncoderMemoryTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The outputs of an export with memory that holds one byte, and others.
    private func outputs(
        _ input: String, _ preset: String, type: String, codec: AudioCodecChoice? = nil
    ) throws -> Set<Data> {
        Set(
            try [0, 1, 0x55, 0xAA, 0xFE].map { byte in
                #expect(trim_fill_new_memory(Int32(byte)) == 1)
                let file = try export(input, preset, in: scratch, type: type) { request in
                    request.options = ExportOptions()
                    request.options?.reproducible = true
                    request.options?.audioCodec = codec
                }.file
                return try Data(contentsOf: URL(filePath: file))
            })
    }

    /// Noise, of which each frame is a piece.
    private static func noise(_ width: Int, _ height: Int, frames: Int) -> [UInt8] {
        var random = Seeded(3)
        return (0..<(3 * width * height + frames * 997)).map { index in
            UInt8(truncatingIfNeeded: index / 7) ^ UInt8.random(in: 0...15, using: &random)
        }
    }

    /// Frames of noise, encoded with memory that holds a byte before.
    private static func encoded(
        _ noise: [UInt8], _ width: Int, _ height: Int, frames: Int, memory byte: Int32
    ) throws -> [[UInt8]] {
        let rate = try #require(Timebase(perSecond: 25))
        var setup = VideoEncoderSetup(
            encoder: "libx264", width: width, height: height, pixelFormat: "yuv420p", timebase: rate,
            frameRate: Ratio(25), keyframeInterval: 250)
        setup.options = [("preset", "medium"), ("crf", "21")]
        setup.threads = 1
        #expect(trim_fill_new_memory(byte) == 1)
        let encoder = try Encoder(setup)
        var graph: FilterGraph?
        var packets: [[UInt8]] = []
        for number in 0..<frames {
            let frame = try Frame.make(
                rgb: Array(noise[(number * 997)...].prefix(3 * width * height)), width: width, height: height)
            frame.pts = Int64(number)
            let made =
                try graph
                ?? FilterGraph(chain: "format=yuv420p", shape: frame.shape, timebase: rate, threads: 1)
            graph = made
            try made.send(frame)
            let small = try #require(made.receive() as Frame?)
            try encoder.send(small)
            while let packet = try encoder.receive() { packets.append(packet.bytes) }
        }
        try encoder.send(nil)
        while let packet = try encoder.receive() { packets.append(packet.bytes) }
        return packets
    }

    /// The different encodes with memory that holds one byte, and others.
    private static func encodes(_ width: Int, _ height: Int, frames: Int) throws -> Set<[[UInt8]]> {
        let noise = noise(width, height, frames: frames)
        var found: Set<[[UInt8]]> = []
        for byte: Int32 in [0, 1, 0x55, 0xAA, 0xFE] {
            found.insert(try encoded(noise, width, height, frames: frames, memory: byte))
        }
        return found
    }

    /// x264 reads memory that it has not written, below a picture whose height is no multiple of 16: if it is not cleared, these differ.
    /// In a process of its own: the memory is that of all its encoders.
    @Test func oldMemoryChangesNothing() async {
        await #expect(processExitsWith: .success) {
            let found = try EncoderMemoryTests.encodes(320, 180, frames: 60)
            #expect(found.count == 1)
        }
    }

    /// Nor that of larger pictures, which the kernel clears.
    @Test func oldMemoryOfLargeBlocksChangesNothing() async {
        await #expect(processExitsWith: .success) {
            let found = try EncoderMemoryTests.encodes(1136, 636, frames: 6)
            #expect(found.count == 1)
        }
    }

    /// Encoders of audio read none that they have not written, and get no memory of that kind.
    @Test(
        arguments: [
            ("m4a", nil), ("m4a", .alac), ("m4a", .ac3), ("mp3", nil), ("opus", nil), ("flac", nil),
            ("wav", nil),
        ] as [(String, AudioCodecChoice?)]) func audioDependsOnNone(
            _ preset: String, _ codec: AudioCodecChoice?
        ) throws
    {
        let film = scratch.name("wav")
        try Tool.ffmpeg(Film.noise(48_000, seconds: "2") + ["-ac", "2", film])
        #expect(try outputs(film, preset, type: preset, codec: codec).count == 1)
    }
}
