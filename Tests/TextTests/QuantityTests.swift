// Counts and their nouns.
import Testing
import Text

@Suite struct QuantityTests {
    @Test(arguments: [(0, "0 frames"), (1, "1 frame"), (2, "2 frames"), (11, "11 frames")])
    func countsAgreeWithTheirNouns(_ count: Int, _ words: String) {
        #expect(quantity(count, "frame") == words)
    }
}
