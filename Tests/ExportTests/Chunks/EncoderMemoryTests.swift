// The bytes of an encode do not depend on what was in the memory before that encoders get.
import CLinux
import Export
import Foundation
import Libav
import Media
import Testing

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
                    request.options = RenderOptions()
                    request.options?.reproducible = true
                    request.options?.audioCodec = codec
                }.file
                return try Data(contentsOf: URL(filePath: file))
            })
    }

    /// x264 reads memory that it has not written: each of these gave other bytes.
    @Test func oldMemoryChangesNothing() throws {
        let film = scratch.name("mp4")
        try Tool.ffmpeg(
            [
                "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=3", "-c:v", "libx264", "-preset",
                "ultrafast", "-pix_fmt", "yuv420p", film,
            ])
        #expect(try outputs(film, "640x480", type: "mp4").count == 1)
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
