// Keys of a batch's jobs: the same line of the same list, for the same file, has the same key, so that a later run finds the jobs
// of an earlier one. Pure except for reading the source's file status.
internal import Media
internal import Text
internal import Wire

/// Creates keys.
enum BatchKey {
    /// The key of a request that is the `occurrence`th of its kind in the list.
    static func key(
        list: String, request: SubmitParams, output: String, occurrence: Int
    ) -> String {
        var content = request
        (content.key, content.output, content.overwrite, content.needs) = (nil, nil, nil, nil)
        let words =
            (try? JSONValue(encoding: content)).map { String(decoding: $0.encoded, as: UTF8.self) } ?? ""
        let parts = [list, words, output, identity(of: request.input), "\(occurrence)"]
        return "batch-" + hash(parts.joined(separator: "\u{0}"))
    }

    /// Size and modification time: a replaced source has a different identity.
    private static func identity(of path: String) -> String {
        guard let found = FileSystem.status(path) else { return "" }
        return "\(found.size) \(found.modified)"
    }

    /// 128-bit FNV-1a: distinguishes texts; not cryptographic.
    static func hash(_ text: String) -> String {
        var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
        for byte in text.utf8 {
            hash ^= UInt128(byte)
            hash &*= 0x0000_0000_0100_0000_0000_0000_0000_013b
        }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 32 - digits.count) + digits
    }
}
