// Frames that are never shown (show_frame 0), from the bits of their headers.
import Testing

@testable import Codecs

struct NonShownFrameTests {
    private func isHidden(_ bytes: [UInt8], _ codec: String) -> Bool {
        VideoCodecs.named(codec).isNonShown(bytes.span)
    }

    @Test func shownFramesAreCounted() {
        // VP8: an interframe that is shown, one that is not.
        #expect(!isHidden([0b0001_0001, 0, 0], "vp8"))
        #expect(isHidden([0b0000_0001, 0, 0], "vp8"))
        // VP9: marker 10, profile 00, show_existing_frame, frame_type, show_frame, error_resilient_mode.
        #expect(!isHidden([0b1000_0110, 0], "vp9"))
        #expect(isHidden([0b1000_0100, 0], "vp9"))
        #expect(!isHidden([0b1000_1000, 0], "vp9"), "an earlier frame is shown")
        // In profile 2 it is the second bit; profile 3 has one bit more.
        #expect(isHidden([0b1001_0100, 0], "vp9"))
        #expect(!isHidden([0b1001_0010, 0], "vp9"))
        #expect(isHidden([0b1011_0010, 0], "vp9"))
        #expect(!isHidden([0b1011_0001, 0], "vp9"))
        // A superframe's index lies at its end.
        #expect(!isHidden([0b1000_0100, 0, 0b1100_0001], "vp9"))
        #expect(!isHidden([], "vp9") && !isHidden([], "vp8"))
        #expect(!isHidden([0b0100_0000, 0], "vp9"))
    }

    @Test func aTemporalUnitOfAV1ShowsAFrame() {
        let delimiter: [UInt8] = [0x12, 0]
        /// An OBU of a frame or a frame header, whose first bits are show_existing_frame, frame_type and show_frame.
        func unit(_ type: UInt8, _ first: UInt8) -> [UInt8] { [type << 3 | 2, 2, first, 0] }
        #expect(isHidden(delimiter + unit(6, 0b0010_0000), "av1"))
        #expect(!isHidden(delimiter + unit(6, 0b0011_0000), "av1"))
        #expect(
            !isHidden(delimiter + unit(6, 0b0010_0000) + unit(3, 0b1000_0000), "av1"),
            "it shows an earlier frame")
        #expect(isHidden(unit(6, 0b0010_0000) + unit(6, 0b0010_0000), "av1"))
        // A sequence header of a still picture, whose frame does not say that it is shown.
        #expect(!isHidden(unit(1, 0b0001_1000) + unit(6, 0), "av1"))
        #expect(!isHidden(delimiter, "av1") && !isHidden([], "av1"))
    }
}
