// How many bits the frames of a chunk need, from the statistics of its first pass. A value of three numbers; reads the formats of
// x264, x265 and libvpx, and nothing else.
internal import Glibc
package import Libav

/// The bits of a chunk, as a function of the quantiser.
package struct ChunkStatistics: Hashable, Codable, Sendable {
    /// Bits of residual at the quantiser of the first pass. Only the ratios between chunks count.
    var texture: Double
    /// Bits of motion vectors.
    var motion: Double
    /// Bits that no quantiser changes.
    var constant: Double

    /// The exponents by which bits fall with the quantiser, as in the rate control of x264 and x265.
    private static let textureFall = -1.1, motionFall = -0.5

    /// The bits at a multiple of the first pass's quantiser.
    /// - Parameter scale: above 0.
    func bits(at scale: Double) -> Double {
        texture * pow(scale, ChunkStatistics.textureFall) + motion * pow(scale, ChunkStatistics.motionFall)
            + constant
    }
}

extension ChunkStatistics {
    /// The statistics in a log; nil: it has a form that is not known.
    /// - Parameter frames: how many frames the first pass was given.
    package init?(_ log: PassLog, frames: Int) {
        guard frames > 0 else { return nil }
        if let records = log.records {
            self.init(records: records, frames: frames)
        } else {
            self.init(lines: log.lines, frames: frames)
        }
    }

    /// One line for each frame: `tex:`, `mv:` and `misc:` are bits.
    init?(lines: [UInt8], frames: Int) {
        var (texture, motion, constant, count) = (0.0, 0.0, 0.0, 0)
        for line in lines.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
            var found: [String: Double] = [:]
            for word in line.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ";") }) {
                let parts = String(decoding: word, as: UTF8.self).split(separator: ":", maxSplits: 1)
                guard parts.count == 2, ["tex", "mv", "misc"].contains(parts[0]) else { continue }
                found[String(parts[0])] = Double(parts[1])
            }
            guard let tex = found["tex"], let mv = found["mv"], let misc = found["misc"],
                [tex, mv, misc].allSatisfy({ $0.isFinite && $0 >= 0 })
            else { return nil }
            (texture, motion, constant, count) = (texture + tex, motion + mv, constant + misc, count + 1)
        }
        guard count == frames else { return nil }
        (self.texture, self.motion, self.constant) = (texture, motion, constant)
    }

    /// One record for each frame and one for all: 64-bit numbers, the first of which counts frames, the second is a weight, and
    /// the fourth the error of the frame's prediction. libvpx gives a frame bits by the root of its error.
    init?(records: [UInt8], frames: Int) {
        guard records.count % (frames + 1) == 0 else { return nil }
        let size = records.count / (frames + 1)
        guard size % 8 == 0, size >= 32 else { return nil }
        func number(_ record: Int, _ field: Int) -> Double {
            let begin = record * size + field * 8
            let bits = records[begin..<(begin + 8)].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return Double(bitPattern: bits)
        }
        var sum = 0.0
        for record in 0..<frames {
            let error = number(record, 3) * number(record, 1)
            guard number(record, 0) == Double(record), error.isFinite, error >= 0 else { return nil }
            sum += error.squareRoot()
        }
        (texture, motion, constant) = (sum, 0, 0)
    }
}
