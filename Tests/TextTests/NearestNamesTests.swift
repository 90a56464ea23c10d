// Proposals for a mistyped name.
import Testing
import Text

struct NearestNamesTests {
    private let names = ["m4v480", "m4v720", "m4v1080", "m4a", "1280x720", "1920x1080"]

    @Test func theNearestComesFirst() {
        #expect(nearestNames(to: "m4v721", in: names).first == "m4v720")
        #expect(nearestNames(to: "m4v1081", in: names).first == "m4v1080")
        #expect(nearestNames(to: "1920x180", in: names).first == "1920x1080")
    }

    @Test func theNameItselfIsNearest() {
        for name in names { #expect(nearestNames(to: name, in: names).first == name) }
    }

    @Test func caseDoesNotCount() {
        #expect(nearestNames(to: "M4A", in: names).first == "m4a")
        #expect(nearestNames(to: "fileTypes", in: ["FILETYPES", "FILE"]).first == "FILETYPES")
    }

    @Test func aPartIsNear() {
        #expect(nearestNames(to: "max", in: ["maxWidth", "codec"]) == ["maxWidth"])
        #expect(nearestNames(to: "Width", in: ["maxWidth", "codec"]) == ["maxWidth"])
        #expect(nearestNames(to: "codecName", in: ["maxWidth", "codec"]) == ["codec"])
    }

    @Test func aFirstLetterIsNoPart() { #expect(nearestNames(to: "to.ogv", in: ["t", "to"]).isEmpty) }

    @Test func longNamesAreComparedWhole() {
        let long = String(repeating: "n", count: 200)
        #expect(nearestNames(to: "film.mp4", in: [long]).isEmpty)
        #expect(nearestNames(to: String(repeating: "x", count: 200), in: [long]).isEmpty)
        #expect(nearestNames(to: long + "n", in: [long]) == [long])
    }

    @Test func whatIsFarIsNotProposed() {
        #expect(nearestNames(to: "television", in: names).isEmpty)
        #expect(nearestNames(to: "", in: ["maxWidth"]).isEmpty)
        #expect(nearestNames(to: "anything", in: []).isEmpty)
    }

    @Test func everyNameWithOneMistakeIsFound() {
        for name in names {
            for index in name.indices {
                var wrong = name
                wrong.remove(at: index)
                #expect(nearestNames(to: wrong, in: names).contains(name), "\(wrong)")
                wrong.insert("#", at: index)
                #expect(nearestNames(to: wrong, in: names).contains(name), "\(wrong)")
                wrong.insert("#", at: index)
                #expect(nearestNames(to: wrong, in: names).contains(name), "\(wrong)")
            }
        }
    }

    @Test func equallyNearOnesAreInTheOrderOfTheAlphabet() {
        #expect(nearestNames(to: "cat", in: ["hat", "bat", "cut"]) == ["bat", "cut", "hat"])
    }
}
