// Packed B-frames of MPEG-4 in AVI (DivX, Xvid): a packet has a reference frame and the B-frame that is shown before it, and a later one
// holds nothing. Each packet gets one frame here, as the packets of all other files have. On the demuxer's queue.
internal import CFFmpeg

extension Demuxer {
    /// Finds tracks whose frames are packed.
    func unpackFrames() {
        guard format == "avi" else { return }
        for track in 0..<ownTrackCount {
            guard let codec = unsafe ownStream(track)?.pointee.codecpar,
                unsafe codec.pointee.codec_id == AV_CODEC_ID_MPEG4,
                let parameters = try? CodecParameters(self, track: track),
                Demuxer.isPacked(parameters.extradata),
                let filter = try? BitstreamFilter("mpeg4_unpack_bframes", parameters)
            else { continue }
            // The same header, without the mark.
            let header = filter.extradata
            if unsafe header.count == Int(codec.pointee.extradata_size) {
                unsafe codec.pointee.extradata.update(from: header, count: header.count)
            }
            unpackers[track] = filter
        }
    }

    /// Whether a header has DivX's mark of packed frames: user data such as "DivX503b1393p".
    private static func isPacked(_ header: [UInt8]) -> Bool {
        let name: [UInt8] = [0, 0, 1, 0xB2] + Array("DivX".utf8)
        return header.indices.contains { index in
            let rest = header[index...]
            return rest.starts(with: name)
                && rest.dropFirst(name.count).prefix { $0 > 0 }.last == UInt8(ascii: "p")
        }
    }

    /// Puts the frame into a packet that is its own; false: there is none.
    func unpack(_ packet: Packet) -> Bool {
        guard let filter = unpackers[packet.track] else { return true }
        let track = packet.track
        do throws(LibavError) {
            try filter.send(packet)
            guard try filter.receive(into: packet) else { return false }
        } catch { return false }
        packet.track = track
        // AVI's index calls the packet a keyframe that ends with one.
        packet.setKey(packet.withBytes(Demuxer.isIntraMPEG4))
        return true
    }

    /// Whether the first picture is an intra picture (ISO/IEC 14496-2, 6.2.5).
    private static func isIntraMPEG4(_ bytes: Span<UInt8>) -> Bool {
        var zeros = 0
        for index in bytes.indices {
            if zeros >= 2, bytes[index] == 1, index + 2 < bytes.count, bytes[index + 1] == 0xB6 {
                return bytes[index + 2] >> 6 == 0
            }
            zeros = bytes[index] == 0 ? zeros + 1 : 0
        }
        return false
    }
}
