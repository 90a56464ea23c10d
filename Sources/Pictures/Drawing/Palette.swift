// Chooses the colours of an image that may have few: by halving, again and again, the group of colours with the widest spread
// (median cut). Pure.

/// Up to 256 colours, and which of them is nearest to a given one.
struct Palette {
    private(set) var colors: [Canvas.Color] = []
    /// For each colour of five bits a channel that the image has, the index of its entry.
    private var entries: [UInt8]

    /// A group of colours of five bits a channel, with the number of their pixels.
    private struct Group {
        var members: [(color: Int, count: Int)]
        /// The channel with the widest spread, and the spread weighed by pixels.
        var channel = 0, spread = 0

        init(_ members: [(color: Int, count: Int)]) {
            self.members = members
            for channel in 0..<3 {
                let values = members.map { Palette.value($0.color, channel) }
                guard let low = values.min(), let high = values.max(), high - low > spread else { continue }
                (self.channel, spread) = (channel, high - low)
            }
        }

        var weight: Int { spread * members.reduce(0) { $0 + $1.count } }
    }

    /// The colours of an image.
    init(_ image: Canvas, most: Int = 256) {
        var counts = [Int](repeating: 0, count: 1 << 15)
        for index in 0..<(image.width * image.height) { counts[Palette.short(image, index)] += 1 }
        entries = [UInt8](repeating: 0, count: 1 << 15)
        var groups = [Group(counts.indices.filter { counts[$0] > 0 }.map { ($0, counts[$0]) })]
        while groups.count < min(256, most) {
            guard let widest = groups.indices.max(by: { groups[$0].weight < groups[$1].weight }),
                groups[widest].spread > 0
            else { break }
            let group = groups[widest]
            let sorted = group.members.sorted {
                Palette.value($0.color, group.channel) < Palette.value($1.color, group.channel)
            }
            let half = sorted.reduce(0) { $0 + $1.count } / 2
            var (count, cut) = (0, 0)
            while cut < sorted.count - 1, count < half || cut == 0 {
                count += sorted[cut].count
                cut += 1
            }
            groups[widest] = Group(Array(sorted[..<cut]))
            groups.append(Group(Array(sorted[cut...])))
        }
        for (index, group) in groups.enumerated() {
            let total = max(1, group.members.reduce(0) { $0 + $1.count })
            let mean = (0..<3).map { channel in
                let sum = group.members.reduce(0) { $0 + Palette.value($1.color, channel) * $1.count }
                return UInt8(clamping: (sum * 255 + total * 31 / 2) / (total * 31))
            }
            colors.append(Canvas.Color(red: mean[0], green: mean[1], blue: mean[2]))
            for member in group.members { entries[member.color] = UInt8(index) }
        }
    }

    /// The entry of each pixel, row by row.
    func indices(_ image: Canvas) -> [UInt8] {
        (0..<(image.width * image.height)).map { entries[Palette.short(image, $0)] }
    }

    /// A pixel's colour with five bits a channel.
    private static func short(_ image: Canvas, _ index: Int) -> Int {
        let offset = 3 * index
        return Int(image.bytes[offset] >> 3) << 10 | Int(image.bytes[offset + 1] >> 3) << 5
            | Int(image.bytes[offset + 2] >> 3)
    }

    private static func value(_ color: Int, _ channel: Int) -> Int { color >> (10 - 5 * channel) & 31 }
}
