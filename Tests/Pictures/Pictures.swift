// Comparisons of decoded pictures, for tests: in a module of its own, which is optimised in debug builds too, since such loops take a
// hundred times as long where they are not. Reads what it is given, and keeps nothing.

/// How much two pictures differ: the sum over all samples. Behind the end of the shorter one nothing counts.
public func difference(_ one: ArraySlice<UInt8>, _ other: ArraySlice<UInt8>) -> Int {
    zip(one, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
}

/// How much two pictures differ: the sum over all samples. Behind the end of the shorter one nothing counts.
public func difference(_ one: [UInt8], _ other: [UInt8]) -> Int { difference(one[...], other[...]) }

/// The largest sample of a picture; 0 of one that is empty.
public func brightest(_ picture: ArraySlice<UInt8>) -> UInt8 { picture.max() ?? 0 }
