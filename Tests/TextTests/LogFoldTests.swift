// A message that FFmpeg repeats is one line of a log, and its count.
import Testing
import Text

@Suite struct LogFoldTests {
    @Test func aRepeatedMessageIsShownOnceAndCounted() {
        let fold = LogFold(most: 2)
        #expect(
            fold.add("[h264 @ 0x55d0c1] error while decoding MB 3 71")
                == "[h264 @ 0x55d0c1] error while decoding MB 3 71")
        for row in 0..<1000 {
            #expect(fold.add("[h264 @ 0x7fab\(row)] error while decoding MB \(row) 2") == nil)
        }
        #expect(fold.add("concealing errors") == "concealing errors")
        #expect(fold.add("a third kind") == nil)
        #expect(
            fold.summary == [
                "[h264 @ 0x55d0c1] error while decoding MB 3 71 (1001 times)", "1 more line",
            ])
    }

    @Test func messagesThatDifferInWordsAreNotFolded() {
        let fold = LogFold(most: 9)
        for line in ["a 1", "b 1", "deadbeef", "cafe"] { #expect(fold.add(line) == line) }
        #expect(fold.summary.isEmpty)
    }
}
