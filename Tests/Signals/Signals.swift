// Comparisons of decoded pictures and of audio, for tests: in a module of its own, which is optimised in debug builds too, since such loops
// take a hundred times as long where they are not. Reads what it is given, and keeps nothing.

/// How much two pictures differ: the sum over all samples. Behind the end of the shorter one nothing counts.
public func difference(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Int {
    zip(one, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
}

/// How much two pictures differ: the sum over all samples. Behind the end of the shorter one nothing counts.
public func difference(_ one: [UInt8], _ other: [UInt8]) -> Int { difference(one[...], other[...]) }

/// The largest sample of a picture; 0 of one that is empty.
public func brightest(_ picture: ArraySlice<UInt8>) -> UInt8 { picture.max() ?? 0 }

/// Samples of audio as ffmpeg's `s16le` has them; half a sample at the end is left out.
public func samples(_ bytes: [UInt8]) -> [Int16] {
    (0..<bytes.count / 2).map { Int16(bitPattern: UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8) }
}

/// Where in some samples a part differs least from them, of some places; nil: it fits at none.
public func place(of part: ArraySlice<Int16>, in whole: [Int16], among places: ClosedRange<Int>) -> Int? {
    places.clamped(to: 0...max(0, whole.count - part.count)).min {
        sum(part, whole, $0) < sum(part, whole, $1)
    }
}

private func sum(_ part: ArraySlice<Int16>, _ whole: [Int16], _ at: Int) -> Int64 {
    zip(part, whole[at...]).reduce(0) { $0 + Int64(abs(Int($1.0) - Int($1.1))) }
}

/// The lag, of some, at which a part is most like other samples, by correlation; nil: there are none.
/// - Parameters:
///   - range: what is compared of the part.
///   - position: where its first sample lies in the others without a lag.
public func lag(
    of part: [Int16], _ range: Range<Int>, in whole: [Int16], at position: Int, among lags: [Int]
) -> Int? {
    func likeness(_ lag: Int) -> Double {
        range.reduce(0.0) { $0 + Double(part[$1]) * Double(whole[position + $1 + lag]) }
    }
    return lags.map { ($0, likeness($0)) }.max { $0.1 < $1.1 }?.0
}

/// Pieces in one.
public func joined(_ pieces: [[UInt8]]) -> [UInt8] { Array(pieces.joined()) }
