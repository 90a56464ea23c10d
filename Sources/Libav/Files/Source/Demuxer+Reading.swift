// Reads the packets of a container. On the demuxer's queue.
internal import CFFmpeg

extension Demuxer {
    /// The result of reading.
    public enum Reading: Sendable {
        /// A packet was read.
        case packet
        /// The container has ended.
        case ended
        /// The container is truncated or damaged here; nothing more can be read.
        case broken(LibavError)
    }

    /// Reads the next packet of the selected tracks.
    public func read(into packet: Packet) -> Reading {
        companions.entries.isEmpty ? readOwn(into: packet) : readAmongCompanions(into: packet)
    }

    /// Reads the next packet of the file itself.
    func readOwn(into packet: Packet) -> Reading {
        if let joined { return joined.read(into: packet) }
        return edited.isEmpty ? readStored(into: packet) : readAmongEdited(into: packet)
    }

    /// Reads the next packet that FFmpeg gives.
    func readStored(into packet: Packet) -> Reading {
        while true {
            packet.clear()
            let code = unsafe av_read_frame(context, packet.pointer)
            if code >= 0 {
                if movie != nil, packet.hasNewHeader || packet.isEncrypted { isUsed = true }
                if isBeforeSeek(packet) || !unpack(packet) { continue }
                correct(packet)
                return .packet
            }
            if code == trim_error_eof {
                // Some demuxers report a read failure as the end.
                let failure = unsafe context.pointee.pb?.pointee.error ?? 0
                return failure < 0 && failure != trim_error_eof
                    ? .broken(LibavError("reading", code: io.mapped(failure))) : .ended
            }
            if code == trim_error_again { continue }
            return .broken(LibavError("reading", code: io.mapped(code)))
        }
    }
}
