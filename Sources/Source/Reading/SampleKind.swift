// Determines how decoding can begin at a stored sample from its bytes, not from the container's sync flag, which recovery points
// carry too.
internal import Codecs
package import Libav
package import Media

/// Classifies the samples of one track.
package struct SampleKind {
    private let codec: any VideoCodec.Type
    private let framing: NALFraming

    package init(codec: String, extradata: [UInt8]) {
        self.codec = VideoCodecs.named(codec)
        framing = self.codec.framing(extradata: extradata)
    }

    /// Classifies a packet that the container or parser calls a sync sample.
    package func access(of packet: Packet) -> StoredSample.Access {
        own(packet).access(of: packet.bytes)
    }

    /// The kind of the samples of the film that a packet is of.
    private func own(_ packet: Packet) -> SampleKind {
        guard let codec = packet.foreignCodec else { return self }
        return SampleKind(codec: codec, extradata: packet.foreignHeader ?? [])
    }

    /// Classifies a sample that the container or parser calls a sync sample.
    package func access(of bytes: [UInt8]) -> StoredSample.Access {
        switch codec.accessUnit(bytes[...], framing: framing).randomAccess {
        case .closed: .closed
        case .open: .open
        case .none, .recoveryPoint: .recovery
        }
    }

    /// Whether frames that are shown from a packet's on refer to none that is stored before it.
    package func isClean(_ packet: Packet) -> Bool { own(packet).isClean(packet.bytes) }

    private func isClean(_ bytes: [UInt8]) -> Bool {
        switch codec.accessUnit(bytes[...], framing: framing).randomAccess {
        case .closed, .open, .recoveryPoint(frames: 0): true
        case .none, .recoveryPoint: false
        }
    }

    /// The same, as the codec's term.
    package func name(of packet: Packet) -> SyncSample.Kind {
        let (own, bytes) = (own(packet), packet.bytes)
        return own.codec.syncKind(own.codec.accessUnit(bytes[...], framing: own.framing))
    }
}
