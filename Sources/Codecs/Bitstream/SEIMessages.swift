// Supplemental enhancement information of H.264 and HEVC.

/// One message of an SEI NAL unit.
package struct SEIMessage: Equatable, Sendable {
    /// payloadType: 4 registered user data, 5 unregistered user data, 6 recovery point.
    package var type: Int
    package var payload: ArraySlice<UInt8>

    /// The messages of an unescaped SEI NAL unit without its header. Ends at damage.
    package static func all(in payload: [UInt8]) -> [SEIMessage] {
        var messages: [SEIMessage] = []
        var rest = payload[...]
        // The last byte holds the stop bit.
        while rest.count > 2, let type = number(&rest), let size = number(&rest), size <= rest.count {
            messages.append(SEIMessage(type: type, payload: rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
        return messages
    }

    private static func number(_ rest: inout ArraySlice<UInt8>) -> Int? {
        var value = 0
        while let byte = rest.popFirst() {
            value += Int(byte)
            if byte != 255 { return value }
        }
        return nil
    }

    /// The message as stored in an unescaped SEI NAL unit.
    package var bytes: [UInt8] { SEIMessage.number(type) + SEIMessage.number(payload.count) + payload }

    private static func number(_ value: Int) -> [UInt8] {
        [UInt8](repeating: 255, count: value / 255) + [UInt8(value % 255)]
    }
}
