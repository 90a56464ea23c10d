// A compact description of a frame, to decide whether two decoders gave the same frame, or one that is visually the same. A
// value, independent of the frame.
internal import CFFmpeg

/// A frame's checksum and its brightness grid.
public struct FrameSignature: Hashable, Sendable {
    /// Equal where every sample of every plane is equal.
    public let checksum: UInt32
    /// Size in pixels.
    public let width: Int, height: Int
    /// Mean brightness of the cells of a grid, row by row, from 0 to 1.
    public let cells: [Float]

    /// Size of the grid in cells.
    private static let columns = 32, rows = 18

    /// The root mean squared difference of the cells, from 0 to 1; 1 if the sizes differ.
    public func distance(to other: FrameSignature) -> Double {
        guard width == other.width, height == other.height, cells.count == other.cells.count, !cells.isEmpty
        else { return 1 }
        let sum = zip(cells, other.cells).reduce(0.0) { sum, pair in
            let off = Double(pair.0 - pair.1)
            return sum + off * off
        }
        return (sum / Double(cells.count)).squareRoot()
    }

    fileprivate init(checksum: UInt32, width: Int, height: Int, cells: [Float]) {
        self.checksum = checksum
        self.width = width
        self.height = height
        self.cells = cells
    }

    fileprivate static func grid(
        width: Int, height: Int, sample: (_ x: Int, _ y: Int) -> Float
    ) -> [Float] {
        var cells: [Float] = []
        cells.reserveCapacity(columns * rows)
        for row in 0..<rows {
            let (top, bottom) = (row * height / rows, max(row * height / rows + 1, (row + 1) * height / rows))
            for column in 0..<columns {
                let left = column * width / columns
                let right = max(left + 1, (column + 1) * width / columns)
                var (sum, count): (Float, Float) = (0, 0)
                // Every fourth sample of a cell suffices.
                for y in stride(from: top, to: min(bottom, height), by: 4) {
                    for x in stride(from: left, to: min(right, width), by: 4) {
                        sum += sample(x, y)
                        count += 1
                    }
                }
                cells.append(count > 0 ? sum / count : 0)
            }
        }
        return cells
    }
}

extension Frame {
    /// The frame's signature; nil for audio, and for formats without planes in memory.
    public var signature: FrameSignature? {
        let format = AVPixelFormat(rawValue: format)
        guard width > 0, height > 0, let description = unsafe av_pix_fmt_desc_get(format) else { return nil }
        let planes = Int(av_pix_fmt_count_planes(format))
        guard planes > 0, unsafe description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) == 0 else {
            return nil
        }
        var checksum: UInt32 = 1
        for plane in 0..<min(planes, 4) {
            guard let rows = unsafe row(plane) else { return nil }
            let bytes = Int(av_image_get_linesize(format, Int32(width), Int32(plane)))
            guard bytes > 0 else { return nil }
            let isChroma = (plane == 1 || plane == 2) && planes > 1
            let shift = isChroma ? Int(unsafe description.pointee.log2_chroma_h) : 0
            for y in 0..<((height + (1 << shift) - 1) >> shift) {
                checksum = unsafe av_adler32_update(checksum, rows.start + y * rows.stride, bytes)
            }
        }
        guard let luma = unsafe row(0) else { return nil }
        let component = unsafe description.pointee.comp.0
        let (step, offset) = (Int(component.step), Int(component.offset))
        let depth = Int(component.depth)
        let isLittle = unsafe description.pointee.flags & UInt64(AV_PIX_FMT_FLAG_BE) == 0
        let scale = 1 / Float((1 << depth) - 1)
        let cells = FrameSignature.grid(width: width, height: height) { x, y in
            let pixel = unsafe luma.start + y * luma.stride + x * step + offset
            guard depth > 8 else { return unsafe Float(pixel.pointee) * scale }
            let (first, second) = unsafe (UInt16(pixel[0]), UInt16(pixel[1]))
            let value = isLittle ? first | second << 8 : first << 8 | second
            return Float((value >> UInt16(component.shift)) & UInt16((1 << depth) - 1)) * scale
        }
        return FrameSignature(checksum: checksum, width: width, height: height, cells: cells)
    }

    /// The start of a plane, and its stride in bytes.
    func row(_ plane: Int) -> (start: UnsafeMutablePointer<UInt8>, stride: Int)? {
        let data = unsafe pointer.pointee.data
        let sizes = unsafe pointer.pointee.linesize
        let all = unsafe [data.0, data.1, data.2, data.3]
        let strides = [sizes.0, sizes.1, sizes.2, sizes.3]
        guard unsafe plane < all.count, let start = unsafe all[plane] else { return nil }
        return unsafe (start, Int(strides[plane]))
    }
}
