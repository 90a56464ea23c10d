// From the temporary file to the name: nothing is lost, nothing is seen half, nothing is left.
import JobQueue
import Media
import Platform
import Testing
import Wire

@testable import trimd

@Suite struct OutputFileTests {
    let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func output(_ name: String?, overwrite: Bool = false) throws -> OutputFile {
        let target = OutputTarget(folder: scratch.path, name: name, stem: "film-trim", overwrite: overwrite)
        let file = try OutputFile(target, job: 7, attempt: 1, source: source)
        Kernel.write("new", to: file.descriptor.rawValue)
        return file
    }

    private func publish(
        _ file: borrowing OutputFile, then: (Publication) throws(MediaError) -> Void = { _ in }
    ) throws(MediaError) -> String {
        try file.publish(fileType: "m4a", mode: 0o640, source: source, record: then)
    }

    /// As another job's is, which has its number from its acceptance.
    @Test func aNumberThatAnotherJobHasIsPassedOver() throws {
        let file = try output(nil)
        var asked: [String] = []
        let name = try publish(file) { publication throws(MediaError) in
            asked.append(publication.name)
            if asked.count < 3 { throw MediaError(.fileAlreadyExists, "another job's") }
        }
        #expect(asked == ["film-trim.m4a", "film-trim-2.m4a", "film-trim-3.m4a"])
        #expect(name == "film-trim-3.m4a")
        #expect(try scratch.names() == ["film-trim-3.m4a"])
    }

    @Test func anOutputBeginsWithItsOwnNumber() throws {
        var target = OutputTarget(folder: scratch.path, name: nil, stem: "film-trim")
        target.number = 4
        let file = try OutputFile(target, job: 7, attempt: 1, source: source)
        Kernel.write("new", to: file.descriptor.rawValue)
        try scratch.file("film-trim-4.m4a", "another's")
        #expect(try publish(file) == "film-trim-5.m4a")
        #expect(scratch.text("film-trim-4.m4a") == "another's")
    }

    @Test func numbersAreOfferedThatNothingHas() throws {
        try scratch.file("film-trim.m4a")
        try scratch.file("film-trim-3.m4a")
        // Of another extension: it is in nobody's way.
        try scratch.file("film-trim-2.mp3")
        let folder = try OutputFolder(opening: scratch.path)
        let target = OutputTarget(folder: scratch.path, name: nil, stem: "film-trim")
        let name = try folder.name(for: target, fileType: "m4a", of: ["m4a", "mov"]) { _, stem in
            #expect(stem == "film-trim")
            return [4, 6]
        }
        guard case .numbered(let path, let stem, let free, let types) = name else {
            Issue.record("\(name)")
            return
        }
        #expect(path == Kernel.resolved(scratch.path) && stem == "film-trim" && types == ["m4a", "mov"])
        #expect(free.prefix(3) == [2, 5, 7])
    }

    @Test func outputIsInvisibleUntilPublished() throws {
        let file = try output("out.m4a")
        #expect(try scratch.names() == [".out.m4a.trimd-7-1.part"])
        #expect(try file.size() == 3)
        #expect(try FileStatus(of: try file.openForReading(), "").identity.isSameFile(as: file.identity))
        #expect(try scratch.mode(".out.m4a.trimd-7-1.part") == 0o600)
        try file.discard()
        try file.discard()
        #expect(try scratch.names() == [])
    }

    @Test func itGetsItsNameAndMode() throws {
        let file = try output("out.m4a")
        var recorded: [Publication] = []
        #expect(try publish(file) { recorded.append($0) } == "out.m4a")
        #expect(
            recorded == [
                Publication(device: file.identity.device, inode: file.identity.inode, name: "out.m4a")
            ])
        #expect(try scratch.names() == ["out.m4a"])
        #expect(try scratch.mode("out.m4a") == 0o640)
        let named = try FileStatus(of: "out.m4a", in: file.folder.descriptor)?.identity
        #expect(named?.isSameFile(as: file.identity) == true)
    }

    @Test func whatIsWrittenDownComesFirst() throws {
        let file = try output("out.m4a")
        let error = #expect(throws: MediaError.self) {
            try publish(file) { _ throws(MediaError) in throw MediaError(.diskFull, "full") }
        }
        #expect(error?.code == .diskFull)
        #expect(try scratch.names() == [".out.m4a.trimd-7-1.part"])
    }

    @Test func aNameTakenBefore() throws {
        try scratch.file("out.m4a", "old")
        #expect(
            #expect(throws: MediaError.self) { try output("out.m4a").discard() }?.code == .fileAlreadyExists)
        #expect(try scratch.names() == ["out.m4a"])
    }

    @Test func aNameTakenMeanwhile() throws {
        let file = try output("out.m4a")
        try scratch.file("out.m4a", "old")
        #expect(#expect(throws: MediaError.self) { try publish(file) }?.code == .fileAlreadyExists)
        #expect(scratch.text("out.m4a") == "old")
    }

    @Test func aNameTakenInTheLastMoment() throws {
        let file = try output("out.m4a")
        let error = #expect(throws: MediaError.self) {
            try publish(file) { _ in _ = try? scratch.file("out.m4a", "old") }
        }
        #expect(error?.code == .fileAlreadyExists)
        #expect(scratch.text("out.m4a") == "old")
    }

    @Test func overwriting() throws {
        try scratch.file("out.m4a", "old")
        let file = try output("out.m4a", overwrite: true)
        #expect(scratch.text("out.m4a") == "old")
        #expect(try publish(file) == "out.m4a")
        #expect(scratch.text("out.m4a") == "new")
        #expect(try scratch.names() == ["out.m4a"])
    }

    @Test func theInputIsNeverReplaced() throws {
        let path = try scratch.file("out.m4a", "film")
        let identity = try InputFile(opening: path).identity
        let target = OutputTarget(folder: scratch.path, name: "out.m4a", stem: "", overwrite: true)
        let error = #expect(throws: MediaError.self) {
            try OutputFile(target, job: 1, attempt: 1, source: identity).discard()
        }
        #expect(error?.code == .outputIsInput)
        // It may become the input's name only later.
        let file = try output("later.m4a", overwrite: true)
        try scratch.link("out.m4a", "later.m4a")
        let late = #expect(throws: MediaError.self) {
            try file.publish(fileType: "m4a", mode: 0o644, source: identity) { _ in }
        }
        #expect(late?.code == .outputIsInput)
        #expect(scratch.text("later.m4a") == "film")
    }

    @Test func numbers() throws {
        try scratch.file("film-trim.m4a", "1")
        try scratch.file("film-trim-2.m4a", "2")
        let file = try output(nil)
        var recorded: [String] = []
        let name = try publish(file) {
            recorded.append($0.name)
            // Somebody takes the first free number before we do.
            if recorded.count == 1 { _ = try? scratch.file("film-trim-3.m4a", "3") }
        }
        #expect(name == "film-trim-4.m4a")
        #expect(recorded == ["film-trim-3.m4a", "film-trim-4.m4a"])
        #expect(scratch.text("film-trim-3.m4a") == "3")
        #expect(scratch.text("film-trim-4.m4a") == "new")
    }

    @Test func twoAttemptsDoNotMeet() throws {
        let first = try output("out.m4a")
        #expect(
            #expect(throws: MediaError.self) { try output("out.m4a").discard() }?.code == .fileAlreadyExists)
        let target = OutputTarget(folder: scratch.path, name: "out.m4a", stem: "")
        let second = try OutputFile(target, job: 7, attempt: 2, source: source)
        try second.discard()
        try first.discard()
    }
}
