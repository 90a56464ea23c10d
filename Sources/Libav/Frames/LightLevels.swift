// HDR light levels: the mastering display's colours and luminances (SMPTE ST 2086) and the content light levels (CTA-861.3), from
// frames and streams. A value; converts them to the forms of encoders and containers.
internal import CFFmpeg

/// Known HDR light levels.
public struct LightLevels: Hashable, Codable, Sendable {
    /// FFmpeg's structures, byte for byte; nil if unknown.
    private var display: [UInt8]?
    private var content: [UInt8]?

    /// Nothing known.
    public init() {}

    /// Whether any value is known.
    public var isKnown: Bool { display != nil || content != nil }

    /// The light levels of a frame.
    init(_ frame: UnsafePointer<AVFrame>) {
        display = unsafe LightLevels.bytes(
            av_frame_get_side_data(frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA))
        content = unsafe LightLevels.bytes(av_frame_get_side_data(frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL))
    }

    /// The light levels of a stream.
    public init(_ parameters: CodecParameters) {
        func find(_ type: AVPacketSideDataType) -> [UInt8]? {
            parameters.sideData.first { $0.type == type }?.bytes
        }
        display = find(AV_PKT_DATA_MASTERING_DISPLAY_METADATA)
        content = find(AV_PKT_DATA_CONTENT_LIGHT_LEVEL)
    }

    /// These levels, completed with those of another.
    public func completed(by other: LightLevels) -> LightLevels {
        var both = self
        both.display = display ?? other.display
        both.content = content ?? other.content
        return both
    }

    private static func bytes(_ data: UnsafeMutablePointer<AVFrameSideData>?) -> [UInt8]? {
        guard let data = unsafe data else { return nil }
        return unsafe [UInt8](UnsafeBufferPointer(start: data.pointee.data, count: data.pointee.size))
    }

    /// As a stream's side data.
    var sideData: [(type: AVPacketSideDataType, bytes: [UInt8])] {
        [
            display.map { (AV_PKT_DATA_MASTERING_DISPLAY_METADATA, $0) },
            content.map { (AV_PKT_DATA_CONTENT_LIGHT_LEVEL, $0) },
        ].compactMap(\.self)
    }

    private func load<T>(_ bytes: [UInt8]?, _: T.Type) -> T? {
        guard let bytes, bytes.count >= MemoryLayout<T>.size else { return nil }
        return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: T.self) }
    }

    /// The mastering display: x and y of green, blue, red and white, then the maximum and minimum luminance in cd/m2.
    private var mastering: [Double]? {
        guard let display = load(display, AVMasteringDisplayMetadata.self), display.has_primaries != 0,
            display.has_luminance != 0
        else { return nil }
        let primaries = display.display_primaries
        let points = [
            primaries.1.0, primaries.1.1, primaries.2.0, primaries.2.1, primaries.0.0, primaries.0.1,
            display.white_point.0, display.white_point.1, display.max_luminance, display.min_luminance,
        ]
        return points.map { $0.den == 0 ? 0 : Double($0.num) / Double($0.den) }
    }

    /// The maximum and the average content light level in cd/m2.
    private var levels: (UInt32, UInt32)? {
        load(content, AVContentLightMetadata.self).map { ($0.MaxCLL, $0.MaxFALL) }
    }

    /// As x265 parameters: names and values.
    public var x265: [(String, String)] {
        var entries: [(String, String)] = []
        if let m = mastering {
            let p = m.prefix(8).map { Int(($0 * 50_000).rounded()) }
            let l = m.suffix(2).map { Int(($0 * 10_000).rounded()) }
            entries.append(
                (
                    "master-display",
                    "G(\(p[0]),\(p[1]))B(\(p[2]),\(p[3]))R(\(p[4]),\(p[5]))WP(\(p[6]),\(p[7]))L(\(l[0]),\(l[1]))"
                ))
        }
        if let levels { entries.append(("max-cll", "\(levels.0),\(levels.1)")) }
        return entries
    }

    /// As SVT-AV1 parameters.
    public var svt: [(String, String)] {
        var entries: [(String, String)] = []
        if let m = mastering {
            entries.append(
                (
                    "mastering-display",
                    "G(\(m[0]),\(m[1]))B(\(m[2]),\(m[3]))R(\(m[4]),\(m[5]))WP(\(m[6]),\(m[7]))L(\(m[8]),\(m[9]))"
                ))
        }
        if let levels { entries.append(("content-light", "\(levels.0),\(levels.1)")) }
        return entries
    }
}

extension Frame {
    /// The frame's light levels.
    public var light: LightLevels { unsafe LightLevels(pointer) }
}
