// Converts options and metadata between Swift and AVDictionary. Each use owns its dictionary and frees it.
internal import CFFmpeg

/// An AVDictionary with one owner.
@safe struct OptionDictionary: ~Copyable {
    /// The pointer for FFmpeg, which replaces it when it consumes options.
    var pointer: OpaquePointer?

    /// A dictionary with these entries, in this order.
    init(_ entries: [(String, String)] = []) {
        unsafe pointer = nil
        for (key, value) in entries { unsafe av_dict_set(&pointer, key, value, 0) }
    }

    deinit {
        var last = unsafe pointer
        unsafe av_dict_free(&last)
    }

    /// The remaining keys: options that FFmpeg did not consume.
    var leftOver: [String] { unsafe OptionDictionary.entries(of: pointer).map(\.0) }

    /// All entries of a dictionary with another owner.
    static func entries(of dictionary: OpaquePointer?) -> [(String, String)] {
        var result: [(String, String)] = []
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while let next = unsafe av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
            unsafe result.append((text(next.pointee.key) ?? "", text(next.pointee.value) ?? ""))
            unsafe entry = next
        }
        return result
    }
}

/// The entries of a dictionary with another owner, by key; the first of equal keys wins.
func metadata(_ dictionary: OpaquePointer?) -> [String: String] {
    unsafe Swift.Dictionary(OptionDictionary.entries(of: dictionary)) { first, _ in first }
}
