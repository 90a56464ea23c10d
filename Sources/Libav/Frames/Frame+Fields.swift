// Joins fields that a decoder returns as separate pictures to frames.
internal import CFFmpeg

extension Frame {
    /// For a single field: it has the lines 1, 3, 5 … of its frame.
    var isBottomField: Bool { unsafe trim_frame_is_top_field_first(pointer) == 0 }

    /// A frame from two fields, at the time of the first one.
    static func woven(_ first: Frame, _ second: Frame) throws(LibavError) -> Frame {
        let frame = try Frame()
        guard first.format == second.format, first.width == second.width, first.height == second.height else {
            throw LibavError("putting fields together", cause: "they differ in size or format")
        }
        unsafe frame.pointer.pointee.format = first.format
        unsafe frame.pointer.pointee.width = Int32(clamping: first.width)
        unsafe frame.pointer.pointee.height = Int32(clamping: 2 * first.height)
        try LibavError.check(unsafe av_frame_get_buffer(frame.pointer, 0), "allocating a frame")
        try LibavError.check(
            unsafe av_frame_copy_props(frame.pointer, first.pointer), "copying a frame's properties")
        let isBottomFirst = first.isBottomField
        for (field, isBottom) in [(first, isBottomFirst), (second, !isBottomFirst)] {
            try frame.fill(with: field, isBottom: isBottom)
        }
        unsafe trim_frame_set_interlaced(frame.pointer, 1)
        unsafe trim_frame_set_top_field_first(frame.pointer, isBottomFirst ? 0 : 1)
        unsafe trim_frame_set_duration(frame.pointer, first.packetDuration + second.packetDuration)
        unsafe frame.pointer.pointee.decode_error_flags |= second.pointer.pointee.decode_error_flags
        unsafe frame.pointer.pointee.flags |= second.pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT
        return frame
    }

    /// Copies a field's lines to every other line.
    private func fill(with field: Frame, isBottom: Bool) throws(LibavError) {
        let format = AVPixelFormat(rawValue: format)
        guard let description = unsafe av_pix_fmt_desc_get(format) else {
            throw LibavError("putting fields together", cause: "the pixel format is unknown")
        }
        let planes = Int(av_pix_fmt_count_planes(format))
        for plane in 0..<min(max(planes, 0), 4) {
            guard let to = unsafe row(plane), let from = unsafe field.row(plane) else {
                throw LibavError("putting fields together", cause: "a plane is missing")
            }
            let bytes = Int(av_image_get_linesize(format, Int32(width), Int32(plane)))
            let isChroma = (plane == 1 || plane == 2) && planes > 1
            let shift = isChroma ? Int(unsafe description.pointee.log2_chroma_h) : 0
            for line in 0..<((field.height + (1 << shift) - 1) >> shift) {
                let target = unsafe to.start + (2 * line + (isBottom ? 1 : 0)) * to.stride
                unsafe target.update(from: from.start + line * from.stride, count: max(0, bytes))
            }
        }
    }
}

/// Joins the fields from a decoder. Used on the decoder's queue.
struct FieldWeaver {
    /// The first field of each frame has the lines 1, 3, 5 ….
    let isBottomFirst: Bool
    private var held: Frame?

    init(isBottomFirst: Bool) { self.isBottomFirst = isBottomFirst }

    /// Takes the next picture in presentation order and returns completed frames: usually one for two fields. An unpaired field
    /// fills both.
    mutating func take(_ frame: Frame) throws(LibavError) -> [Frame] {
        guard frame.isInterlaced else { return try rest() + [frame] }
        let isFirst = frame.isBottomField == isBottomFirst
        if !isFirst, let first = held {
            held = nil
            return [try Frame.woven(first, frame)]
        }
        let before = try rest()
        if isFirst {
            held = frame
            return before
        }
        return before + [try Frame.woven(frame, frame)]
    }

    /// Flushes the remaining frames.
    mutating func rest() throws(LibavError) -> [Frame] {
        guard let alone = held else { return [] }
        held = nil
        return [try Frame.woven(alone, alone)]
    }

    /// Discards the held field.
    mutating func reset() { held = nil }
}
