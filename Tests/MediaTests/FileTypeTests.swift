// File types in sentences.
import Media
import Testing

@Suite struct FileTypeTests {
    /// A sentence lists a few types, and no more.
    @Test func typesAreListed() {
        #expect(FileType.choice(of: ["m4a"]) == ".m4a")
        #expect(FileType.choice(of: ["mp4", "mov"]) == ".mp4 or .mov")
        let all = FileType.allCases.map(\.rawValue)
        #expect(FileType.choice(of: all).hasSuffix(" and \(all.count - 3) others"))
    }
}
