// Re-encodes the last packet of lossless audio with exactly the samples of the range, since decoders output all samples of a
// packet, whatever duration the container gives. The samples stay bit-identical.
internal import Codecs
internal import Libav
internal import Media
internal import MediaTime

/// Shortens ALAC and FLAC packets.
enum LosslessTail {
    /// Returns a packet with only its first samples; nil if the packet must stay unchanged.
    /// - Parameter count: samples to keep; fewer than the packet has.
    static func bytes(
        of packet: Packet, keeping count: Int, of track: Track, _ parameters: CodecParameters
    ) throws(LibavError) -> [UInt8]? {
        let deepest = AudioCoding.storesAllBits(track.codec) ? 32 : 24
        guard count > 0, track.audioCodec.isCodedAlike(track, parameters.extradata, deepest: deepest)
        else { return nil }
        let decoder = try Decoder(parameters, timebase: track.timebase, threads: 1)
        guard case .taken = try decoder.send(packet) else { return nil }
        let frame = try Frame()
        guard case .frame = try decoder.receive(into: frame), frame.sampleCount > count else { return nil }
        try frame.keepSamples(0..<count)
        frame.pts = 0
        var setup = AudioEncoderSetup(
            encoder: track.codec, sampleRate: frame.sampleRate, channelLayout: frame.shape.layout,
            sampleFormat: frame.sampleFormat, bitRate: 0)
        if let bits = track.audio?.bits, bits > 24 { setup.bits = bits }
        let encoder = try Encoder(setup)
        try encoder.send(frame)
        try encoder.send(nil)
        guard let made = try encoder.receive()?.bytes else { return nil }
        return track.audioCodec.shortened(made, inPlaceOf: packet.bytes)
    }
}
