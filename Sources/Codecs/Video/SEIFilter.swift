// Removes the encoder's version messages from head and tail: media information tools would show them for the whole file.

/// Removes the version and options that x264 and x265 write.
package enum SEIFilter {
    /// The UUID of x264's version message.
    package static let x264: [UInt8] = [
        0xDC, 0x45, 0xE9, 0xBD, 0xE6, 0xD9, 0x48, 0xB7, 0x96, 0x2C, 0xD8, 0x20, 0xD9, 0x23, 0xEE, 0xEF,
    ]
    fileprivate static let x265: [UInt8] = [
        0x2C, 0xA2, 0xDE, 0x09, 0xB5, 0x17, 0x47, 0xDB, 0xBB, 0x55, 0xA4, 0xFE, 0x7F, 0xC2, 0xFC, 0x4E,
    ]

    /// A packet without these messages.
    /// - Returns: the unchanged packet where there are none or it is damaged.
    package static func strip(_ packet: ArraySlice<UInt8>, codec: any NALCodec.Type, framing: NALFraming)
        -> [UInt8]
    {
        let units = NALUnits(packet, framing: framing)
        let kept = units.filter { nal in
            let messages = SEIFilter.messages(nal, codec)
            return messages.isEmpty || !messages.allSatisfy(\.isEncoders)
        }
        guard units.isWhole, kept.count < units.reduce(0, { count, _ in count + 1 }) else {
            return Array(packet)
        }
        return framing.join(kept) ?? Array(packet)
    }

    /// The options x264 wrote into a packet: `cabac`, `ref`, `bframes` and so on. Empty if there are none.
    package static func options(
        _ packet: ArraySlice<UInt8>, codec: any NALCodec.Type, framing: NALFraming
    ) -> [String: String] {
        for nal in NALUnits(packet, framing: framing) {
            for message in messages(nal, codec)
            where message.type == 5 && message.payload.starts(with: x264) {
                let words = String(decoding: message.payload.dropFirst(16).filter { $0 != 0 }, as: UTF8.self)
                    .split(separator: " ")
                guard let start = words.firstIndex(of: "options:") else { continue }
                let pairs = words[start...].compactMap { word -> (String, String)? in
                    let parts = word.split(separator: "=", maxSplits: 1)
                    return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
                }
                return Dictionary(pairs) { first, _ in first }
            }
        }
        return [:]
    }

    private static func messages(_ nal: ArraySlice<UInt8>, _ codec: any NALCodec.Type) -> [SEIMessage] {
        guard case .sei(let payload) = codec.part(nal) else { return [] }
        return SEIMessage.all(in: EmulationPrevention.unescape(payload))
    }
}

extension SEIMessage {
    /// The version and options that x264 or x265 writes.
    package var isEncoders: Bool {
        type == 5 && (payload.starts(with: SEIFilter.x264) || payload.starts(with: SEIFilter.x265))
    }
}
