// AAC: packets overlap by one; spectral band replication needs more. Parametric stereo needs its header, which is in every ninth packet
// or so: until then the channels are alike.
package import Media

/// AAC of all profiles.
package enum AACCodec: AudioCodec {
    package static let names: Set<String> = ["aac"]
    package static let declaresPadding = true
    package static let staysUnread = true
    package static let hasGaplessNote = true

    /// Whether a packet of a raw or transport stream begins with a header of its own (ADTS), and is as long as that says. Muxers that
    /// take the header off refuse all else.
    package static func isWholeADTS(_ packet: [UInt8]) -> Bool {
        guard packet.count >= 7, packet[0] == 0xFF, packet[1] & 0xF6 == 0xF0, packet[2] >> 2 & 15 < 13 else {
            return false
        }
        let length = Int(packet[3] & 3) << 11 | Int(packet[4]) << 3 | Int(packet[5] >> 5)
        return 7...packet.count ~= length
    }

    /// AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1) of the low-complexity profile, which decoders assume without one.
    package static func missingHeader(_ first: [UInt8], of track: Track) -> [UInt8]? {
        guard let format = track.audio, track.profile == nil || track.profile == "LC", !isWholeADTS(first),
            let rate = rates.firstIndex(of: format.sampleRate),
            let channels = [1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 8: 7][format.channels]
        else { return nil }
        let bits = 2 << 11 | rate << 7 | channels << 3
        return [UInt8(bits >> 8), UInt8(bits & 0xFF)]
    }

    /// In the order of their indexes.
    private static let rates = [
        96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
    ]

    package static func preroll(profile: String?, packet: Int64, rate: Int) -> Int64 {
        packet * (profile == "HE-AACv2" ? 12 : isDoubled(profile) ? 3 : 1)
    }

    /// HE-AAC counts in the rate of its lower half: FFmpeg's decoder up to version 7 skips two samples for each that an edit list
    /// says. Packets of so few samples are not doubled.
    package static func movieRate(profile: String?, packet: Int64, rate: Int) -> Int {
        isDoubled(profile) && packet > 1024 && rate.isMultiple(of: 2) ? rate / 2 : rate
    }

    private static func isDoubled(_ profile: String?) -> Bool { profile?.hasPrefix("HE") == true }
}
