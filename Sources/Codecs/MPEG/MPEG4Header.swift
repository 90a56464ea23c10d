// The header before the pictures of MPEG-4 Part 2 (ISO/IEC 14496-2, 6.2.2 and 6.2.3), from a container's header or a sync sample.
// A value; damage gives nil or zeros.
package import MediaTime

/// The header of an MPEG-4 Part 2 stream.
package struct MPEG4Header: Equatable {
    /// The whole header without user data.
    private let configuration: [UInt8]
    /// The user data, in which programs name themselves; decoders work around bugs of some.
    package let userData: [UInt8]
    /// The video object layer (VOL), which determines decoding.
    package let layer: [UInt8]
    /// No reorder delay; nil if not stated.
    package private(set) var isLowDelay: Bool?
    /// Timescale of the pictures, in ticks per second.
    package private(set) var resolution = 0
    /// The coding tools. Multithreaded decoders may not notice a change.
    package private(set) var tools = Tools()

    /// The coding tools of pictures.
    package struct Tools: Equatable {
        package var shape = 0
        /// Pictures may consist of two fields.
        package var isInterlaced = false
        package var hasOverlap = false
        /// Quantised with matrices, standard or custom.
        package var hasMatrices = false
        package var matrices: [[Int]] = []
        /// Quarter-pixel motion vectors.
        package var isQuarterPixel = false
        /// Rarely used tools: arbitrary shapes, bit depths other than eight, complexity estimation and so on.
        package var isUnusual = false
    }

    /// The header at the start of the bytes; nil if there is none.
    package init?(_ bytes: [UInt8]) {
        // A picture or a group of pictures ends it.
        let parts = StartCodes.split(bytes).prefix { $0.code != 0xB3 && $0.code != 0xB6 }
        guard let layer = parts.first(where: { 0x20...0x2F ~= $0.code }) else { return nil }
        configuration = parts.filter { $0.code != 0xB2 }.flatMap { Array($0.bytes) }
        userData = parts.filter { $0.code == 0xB2 }.flatMap { Array($0.bytes) }
        self.layer = Array(layer.bytes)
        var reader = BitReader(Array(layer.bytes.dropFirst(4)))
        reader.skip(1 + 8)  // random_accessible_vol, video_object_type_indication
        var version = 1
        if reader.bit() {
            version = reader.bits(4)
            reader.skip(3)
        }
        if reader.bits(4) == 15 { reader.skip(16) }  // aspect_ratio_info
        if reader.bit() {  // vol_control_parameters
            reader.skip(2)
            isLowDelay = reader.bit()
            if reader.bit() { reader.skip(79) }  // vbv_parameters
        }
        tools.shape = reader.bits(2)
        if tools.shape == 3, version != 1 { reader.skip(4) }
        reader.skip(1)
        resolution = reader.bits(16)
        reader.skip(1)
        // fixed_vop_rate, and the ticks of a picture in as many bits as the resolution needs
        if reader.bit() { reader.skip(max(1, Int.bitWidth - (resolution - 1).leadingZeroBitCount)) }
        readTools(&reader, version: version)
    }

    private mutating func readTools(_ reader: inout BitReader, version: Int) {
        guard tools.shape == 0 else { return tools.isUnusual = true }
        reader.skip(1 + 13 + 1 + 13 + 1)  // width and height
        tools.isInterlaced = reader.bit()
        tools.hasOverlap = !reader.bit()
        let sprite = reader.bits(version == 1 ? 1 : 2)
        if sprite == 1 { reader.skip(4 * 14) }
        if sprite > 0 { reader.skip(6 + 2 + 1) }
        if sprite == 1 { reader.skip(1) }
        if reader.bit() {  // not_8_bit
            tools.isUnusual = true
            reader.skip(8)
        }
        tools.hasMatrices = reader.bit()
        if tools.hasMatrices { tools.matrices = [MPEG4Header.matrix(&reader), MPEG4Header.matrix(&reader)] }
        if version != 1 { tools.isQuarterPixel = reader.bit() }
        let hasNoEstimates = reader.bit()
        reader.skip(1)  // resync_marker_disable: decoders look for markers in any case
        let isParted = reader.bit()
        if !hasNoEstimates || isParted || reader.isDamaged { tools.isUnusual = true }
    }

    /// A matrix, as far as it is given: up to a zero, or complete; empty: the standard's.
    private static func matrix(_ reader: inout BitReader) -> [Int] {
        guard reader.bit() else { return [] }
        var values: [Int] = []
        while values.count < 64, !reader.isDamaged {
            let value = reader.bits(8)
            if value == 0 { break }
            values.append(value)
        }
        return values
    }

    /// The whole header.
    package var bytes: [UInt8] { configuration + userData }

    /// B-frames are stored in the packet of the picture shown after them. DivX signals this.
    package var isPacked: Bool {
        let said = userData.dropFirst(4)
        return said.starts(with: Array("DivX".utf8)) && said.prefix { $0 > 0 }.last == UInt8(ascii: "p")
    }

    /// The nearest frame rate that its ticks can represent.
    package func rate(near rate: Ratio) -> Ratio {
        let step = max(1, (Double(resolution) / rate.value).rounded())
        return Ratio(Int64(max(1, resolution)), Int64(step)) ?? rate
    }
}
