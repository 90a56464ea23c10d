// Languages of ISO 639-2 that have two codes: MPEG-4 writes the terminological one (deu), Matroska and QuickTime the
// bibliographic one (ger). Pure.
internal import Media

/// Codes of languages.
enum LanguageCode {
    /// Terminological codes with their bibliographic ones; all there are.
    private static let pairs: [(String, String)] = [
        ("sqi", "alb"), ("hye", "arm"), ("eus", "baq"), ("mya", "bur"), ("zho", "chi"), ("ces", "cze"),
        ("nld", "dut"), ("fra", "fre"), ("kat", "geo"), ("deu", "ger"), ("ell", "gre"), ("isl", "ice"),
        ("mkd", "mac"), ("mri", "mao"), ("msa", "may"), ("fas", "per"), ("ron", "rum"), ("slk", "slo"),
        ("bod", "tib"), ("cym", "wel"),
    ]

    /// The code as a file type writes it.
    static func code(_ language: String, for fileType: FileType) -> String {
        let isTerminological = fileType.hasEditLists && fileType != .mov
        for (term, book) in pairs where language == term || language == book {
            return isTerminological ? term : book
        }
        return language
    }
}
