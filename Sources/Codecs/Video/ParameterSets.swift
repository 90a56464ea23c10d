// Parameter sets of a copied track and of its encoded head and tail, in one header. Schemes, in this order: the sets of head and tail
// equal the source's byte for byte, or they use unused ids. Never the same id with other content: a decoder that seeks from one
// part to the other would keep the wrong set.

/// A track's parameter sets.
package protocol ParameterSets: Sendable {
    /// The header of the output: these sets, then others, as they are in an encoder's header; nil if sets are damaged or missing.
    func header(adding sets: [UInt8]) -> [UInt8]?
    /// The number of different sets.
    var setCount: Int { get }
    /// Adds the sets that a sample carries and that are not here yet.
    mutating func add(_ sample: ArraySlice<UInt8>, framing: NALFraming)
    /// The frame size as coded, in pixels; nil if unknown.
    var codedSize: (width: Int, height: Int)? { get }
    /// NAL units that each copied sync sample repeats where readers may begin at any of them; empty if the muxer adds them.
    var repeatedUnits: [[UInt8]] { get }
    /// Whether decoders must know an encoder's build to decode the pictures.
    func needBuild(_ build: Int) -> Bool
}

extension ParameterSets {
    /// Whether all sets that a sample carries are here.
    package func knowsSets(in sample: [UInt8], _ framing: NALFraming) -> Bool {
        var more = self
        more.add(sample[...], framing: framing)
        return more.setCount == setCount
    }
}
