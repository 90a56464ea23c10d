// Writes an image as the data of a Sixel sequence (DEC STD 070): colours, then bands of six rows, one colour after the other.
// Printable ASCII only: whoever shows it adds the sequence's beginning and end. Pure.

/// Sixel data.
enum SixelImage {
    /// The data of an image, between the introducer and the terminator of its control string.
    static func data(_ image: Canvas) -> String {
        let palette = Palette(image)
        let indices = palette.indices(image)
        // Pixels are square.
        var data: [UInt8] = Array("\"1;1;\(image.width);\(image.height)".utf8)
        for (index, color) in palette.colors.enumerated() {
            let shares = [color.red, color.green, color.blue].map { "\((Int($0) * 100 + 127) / 255)" }
            data += Array("#\(index);2;\(shares.joined(separator: ";"))".utf8)
        }
        for top in stride(from: 0, to: image.height, by: 6) {
            if top > 0 { data.append(UInt8(ascii: "-")) }
            band(indices, image.width, rows: top..<min(top + 6, image.height), palette.colors.count, &data)
        }
        return String(decoding: data, as: UTF8.self)
    }

    private static func band(
        _ indices: [UInt8], _ width: Int, rows: Range<Int>, _ colors: Int, _ data: inout [UInt8]
    ) {
        var masks = [[UInt8]](repeating: [], count: colors)
        for (bit, row) in rows.enumerated() {
            for column in 0..<width {
                let color = Int(indices[row * width + column])
                if masks[color].isEmpty { masks[color] = [UInt8](repeating: 0, count: width) }
                masks[color][column] |= 1 << UInt8(bit)
            }
        }
        var isFirst = true
        for (color, mask) in masks.enumerated() where !mask.isEmpty {
            if !isFirst { data.append(UInt8(ascii: "$")) }
            isFirst = false
            data += Array("#\(color)".utf8)
            var column = 0
            let end = (mask.lastIndex { $0 != 0 } ?? -1) + 1
            while column < end {
                var next = column + 1
                while next < end, mask[next] == mask[column] { next += 1 }
                run(of: 63 + mask[column], next - column, &data)
                column = next
            }
        }
    }

    private static func run(of sixel: UInt8, _ count: Int, _ data: inout [UInt8]) {
        if count > 3 { return data += Array("!\(count)".utf8) + [sixel] }
        data += [UInt8](repeating: sixel, count: count)
    }
}
