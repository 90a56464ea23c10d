// Counts with nouns that agree with them. Pure.

/// A count and its noun, as "1 frame" and "2 frames".
public func quantity(_ count: some BinaryInteger, _ noun: String) -> String {
    "\(count) \(count == 1 ? noun : noun + "s")"
}
