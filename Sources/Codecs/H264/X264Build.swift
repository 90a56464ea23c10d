// The x264 build that a stream names, in an SEI message of its first picture only. Old builds wrote streams that deviate from the
// standard, and FFmpeg's decoder handles them correctly once it knows the build: a group decoded without the stream's first
// picture is corrupt, and no error is reported.

/// The build named by x264 streams.
enum X264Build {
    /// The first build that codes 4:4:4 with 8x8 transforms and CABAC, and lossless 8x8 blocks, as the standard does.
    private static let firstRight444 = 151
    /// The first build that predicts direct blocks as the standard does.
    private static let firstRightDirect = 34
    private static let words = "x264 - core "

    /// The build that a packet names; nil if it names none.
    static func named(in packet: ArraySlice<UInt8>, framing: NALFraming) -> Int? {
        for unit in NALUnits(packet, framing: framing) {
            let type = (unit.first ?? 0) & 31
            // Messages precede the slices.
            if (1...5).contains(type) { return nil }
            guard type == 6 else { continue }
            for message in SEIMessage.all(in: EmulationPrevention.unescape(unit.dropFirst()))
            where message.type == 5 {
                if let build = number(message.payload.dropFirst(16)) { return build }
            }
        }
        return nil
    }

    /// The number after the text.
    private static func number(_ text: ArraySlice<UInt8>) -> Int? {
        guard text.starts(with: words.utf8) else { return nil }
        let digits = text.dropFirst(words.utf8.count).prefix { (0x30...0x39).contains($0) }.prefix(6)
        // Programs that set the number to 0000 had this build, and FFmpeg assumes it too.
        if digits.elementsEqual("0000".utf8) { return 67 }
        return Int(String(decoding: digits, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether decoders must know a build to decode pictures of these sets.
    static func changesDecoding(_ build: Int, _ sets: H264ParameterSets) -> Bool {
        if build < firstRightDirect { return true }
        // High 4:4:4 Predictive, which lossless pictures of any format also have.
        return build < firstRight444 && sets.sequences.contains { $0.set.profile == 244 }
    }

    /// A NAL unit that names a build.
    static func unit(_ build: Int) -> [UInt8] {
        let message = SEIMessage(
            type: 5, payload: (SEIFilter.x264 + Array("\(words)\(build)".utf8) + [0])[...])
        return [6] + EmulationPrevention.escape(message.bytes + [0x80])
    }

    /// A picture that names a build; unchanged if it already names one.
    static func put(_ build: Int, into packet: [UInt8], framing: NALFraming) -> [UInt8] {
        guard named(in: packet[...], framing: framing) == nil else { return packet }
        var units = Array(NALUnits(packet[...], framing: framing))
        let first = units.firstIndex { (1...5).contains(($0.first ?? 0) & 31) } ?? units.endIndex
        units.insert(unit(build)[...], at: first)
        return framing.join(units) ?? packet
    }
}
