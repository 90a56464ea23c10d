// TextRenderer: draws text subtitles with libass, in fonts that are given to it: it looks for none on this machine and opens no file.
// Owns its libass objects; confined to one thread.
internal import CAss

/// An error of libass.
public struct TextRendererError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failed act.
    public let description: String
}

/// A part of the drawn text: a rectangle of one colour.
public struct TextMask: Hashable, Sendable {
    /// The place in the frame, in pixels; it lies within the frame.
    public let x: Int, y: Int, width: Int, height: Int
    /// How much of each pixel is covered, row by row, 0 to 255.
    public let coverage: [UInt8]
    /// The colour in sRGB, 0 to 255.
    public let red: UInt8, green: UInt8, blue: UInt8
    /// 255: where it covers, it hides what is beneath.
    public let opacity: UInt8
}

/// Draws the events of one script.
@safe public final class TextRenderer {
    private let library: OpaquePointer
    private let renderer: OpaquePointer
    private let track: UnsafeMutablePointer<ASS_Track>
    private let width: Int, height: Int
    /// The messages of libass about fonts.
    private let notes: UnsafeMutablePointer<trim_ass_notes>

    /// A renderer for frames of a size with square pixels.
    /// - Parameters:
    ///   - header: the script's styles, as the beginning of an ASS file.
    ///   - fonts: font files. A style whose font is not among them is drawn in the first.
    public init(width: Int, height: Int, header: [UInt8], fonts: [FontFile]) throws(TextRendererError) {
        guard let library = unsafe ass_library_init() else {
            throw TextRendererError(description: "libass cannot start")
        }
        unsafe self.library = library
        let notes = UnsafeMutablePointer<trim_ass_notes>.allocate(capacity: 1)
        unsafe notes.initialize(to: trim_ass_notes())
        unsafe self.notes = unsafe notes
        unsafe trim_ass_listen(library, notes)
        for (number, font) in fonts.enumerated() {
            // libass copies the bytes.
            unsafe font.bytes.withUnsafeBytes { bytes in
                let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
                unsafe ass_add_font(
                    library, "font-\(number)", UnsafeMutablePointer(mutating: start),
                    Int32(clamping: bytes.count))
            }
        }
        guard let renderer = unsafe ass_renderer_init(library) else {
            unsafe ass_library_done(library)
            unsafe notes.deallocate()
            throw TextRendererError(description: "libass cannot draw")
        }
        unsafe self.renderer = renderer
        guard let track = unsafe ass_new_track(library) else {
            unsafe ass_renderer_done(renderer)
            unsafe ass_library_done(library)
            unsafe notes.deallocate()
            throw TextRendererError(description: "libass has no memory for a script")
        }
        unsafe self.track = unsafe track
        (self.width, self.height) = (width, height)
        unsafe ass_set_frame_size(renderer, Int32(clamping: width), Int32(clamping: height))
        let family = fonts.first?.families.first ?? "sans-serif"
        unsafe ass_set_fonts(renderer, nil, family, Int32(ASS_FONTPROVIDER_NONE.rawValue), nil, 0)
        // Each event is added once; after a step back they are added anew.
        unsafe ass_set_check_readorder(track, 0)
        var header = header.map { CChar(bitPattern: $0) }
        unsafe ass_process_codec_private(track, &header, Int32(clamping: header.count))
    }

    deinit {
        unsafe ass_free_track(track)
        unsafe ass_renderer_done(renderer)
        unsafe ass_library_done(library)
        unsafe notes.deallocate()
    }

    /// The fonts that were asked for since the last call and are not there, each once: another was drawn in their place.
    public func takeReplacedFonts() -> [String] {
        let count = unsafe notes.pointee.count
        guard count > 0 else { return [] }
        var names: [String] = []
        for index in 0..<count {
            let message = unsafe String(cString: trim_ass_text(notes, index))
            guard let name = TextRenderer.family(in: message), !names.contains(name) else { continue }
            names.append(name)
        }
        unsafe notes.pointee.count = 0
        return names
    }

    /// The family that a message names: `fontselect: Using default font family: (NAME, 400, 0) -> …`.
    private static func family(in message: String) -> String? {
        guard let open = message.firstIndex(of: "("),
            let arrow = message[open...].ranges(of: ") -> ").last?.lowerBound
        else { return nil }
        let fields = message[open..<arrow].dropFirst().split(separator: ",", omittingEmptySubsequences: false)
        let name = fields.dropLast(2).joined(separator: ",")
        return name.isEmpty ? nil : name
    }

    /// Adds an event.
    /// - Parameters:
    ///   - line: its fields from ReadOrder on, as FFmpeg's decoders give them.
    ///   - start, duration: in milliseconds.
    public func add(_ line: String, start: Int64, duration: Int64) {
        var bytes = line.utf8.map { CChar(bitPattern: $0) }
        unsafe ass_process_chunk(track, &bytes, Int32(clamping: bytes.count), start, duration)
    }

    /// Forgets all events.
    public func removeEvents() { unsafe ass_flush_events(track) }

    /// The text of a moment, in milliseconds, in the order in which it is drawn; nil: as at the call before.
    public func masks(at moment: Int64) -> [TextMask]? {
        var change: Int32 = 0
        var next = unsafe ass_render_frame(renderer, track, moment, &change)
        guard change != 0 else { return nil }
        var masks: [TextMask] = []
        while let image = unsafe next {
            unsafe masks.append(mask(image.pointee))
            unsafe next = image.pointee.next
        }
        return masks.filter { $0.width > 0 && $0.height > 0 && $0.opacity > 0 }
    }

    private func mask(_ image: ASS_Image) -> TextMask {
        let (x, y) = unsafe (Int(image.dst_x), Int(image.dst_y))
        let wide = unsafe max(0, min(Int(image.w), width - x)),
            high = unsafe max(0, min(Int(image.h), height - y))
        var coverage: [UInt8] = []
        coverage.reserveCapacity(wide * high)
        if let bitmap = unsafe image.bitmap, x >= 0, y >= 0 {
            for row in 0..<high {
                unsafe coverage.append(
                    contentsOf: UnsafeBufferPointer(start: bitmap + row * Int(image.stride), count: wide))
            }
        }
        let color = unsafe image.color
        return TextMask(
            x: x, y: y, width: coverage.isEmpty ? 0 : wide, height: coverage.isEmpty ? 0 : high,
            coverage: coverage,
            red: UInt8(truncatingIfNeeded: color >> 24), green: UInt8(truncatingIfNeeded: color >> 16),
            blue: UInt8(truncatingIfNeeded: color >> 8), opacity: 255 - UInt8(truncatingIfNeeded: color))
    }
}
