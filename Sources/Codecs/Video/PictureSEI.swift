// SEI of a coded picture: captions, HDR10+, display light levels, camera data, Dolby Vision. Encoders of head and tail do not
// know it; it is copied from the source's picture to the new one, byte for byte. Values, except SourceSEI; independent of output
// times.

/// NAL units of one picture that are neither slices nor parameter sets.
package struct PictureSEI: Equatable, Sendable {
    /// SEI messages of this picture only, each a NAL unit.
    private var own: [[UInt8]] = []
    /// SEI messages that persist until replaced by one of their type; repeated where decoding can begin.
    private var lasting: [Int: [UInt8]] = [:]
    /// Dolby Vision's units, which follow the slices.
    private var behind: [[UInt8]] = []

    /// No SEI.
    package init() {}

    /// payloadType of messages for one picture: registered user data (captions, HDR10+), unregistered user data.
    private static let ofOne: Set<Int> = [4, 5]
    /// payloadType of persistent messages: frame packing, display orientation, mastering display, content light level,
    /// alternative transfer characteristics, ambient viewing environment.
    private static let ofMany: Set<Int> = [45, 47, 137, 144, 147, 148]

    /// Reads the SEI of a packet. Skips damage and the version messages of x264 and x265.
    package init(_ packet: ArraySlice<UInt8>, codec: any NALCodec.Type, framing: NALFraming) {
        for unit in NALUnits(packet, framing: framing) where unit.count > 2 {
            switch codec.part(unit) {
            // Suffix messages may also be written as prefix messages.
            case .sei(let payload): read(payload, codec.seiHeader)
            case .dolbyVision: behind.append(Array(EmulationPrevention.trimmed(unit)))
            default: break
            }
        }
    }

    private mutating func read(_ payload: ArraySlice<UInt8>, _ head: [UInt8]) {
        for message in SEIMessage.all(in: EmulationPrevention.unescape(payload)) where !message.isEncoders {
            let unit = head + EmulationPrevention.escape(message.bytes + [0x80])
            if PictureSEI.ofOne.contains(message.type) {
                own.append(unit)
            } else if PictureSEI.ofMany.contains(message.type) {
                lasting[message.type] = unit
            }
        }
    }

    /// Adds the persistent messages of earlier pictures.
    package mutating func inherit(_ earlier: PictureSEI) {
        lasting.merge(earlier.lasting) { mine, _ in mine }
    }

    /// The NAL units of a picture with these slices.
    /// - Parameter isKey: decoding can begin with it.
    package func units(around slices: [ArraySlice<UInt8>], isKey: Bool) -> [ArraySlice<UInt8>] {
        let held = isKey ? lasting.sorted { $0.key < $1.key }.map { $0.value[...] } : []
        return held + own.map { $0[...] } + slices + behind.map { $0[...] }
    }
}

/// The SEI of the source's pictures around a cut point, by presentation time. Confined to the thread of its span.
package final class SourceSEI {
    private let codec: any NALCodec.Type
    private let framing: NALFraming
    private var byPTS: [Int64: PictureSEI] = [:]
    private var latest = PictureSEI()

    package init(codec: any NALCodec.Type, framing: NALFraming) {
        self.codec = codec
        self.framing = framing
    }

    /// Adds a packet of the source, in decoding order.
    /// - Parameter pts: in the track's ticks.
    package func append(_ bytes: [UInt8], pts: Int64) {
        var messages = PictureSEI(bytes[...], codec: codec, framing: framing)
        messages.inherit(latest)
        latest = messages
        byPTS[pts] = messages
    }

    /// Removes and returns the SEI of the picture with this time.
    package func take(_ pts: Int64) -> PictureSEI { byPTS.removeValue(forKey: pts) ?? PictureSEI() }
}
