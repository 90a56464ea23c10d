// The hash of a file's ends, and the identity that it is a part of.
import Foundation
import Glibc
import Platform
import Testing

@testable import trimd

@Suite struct FileDigestTests {
    /// The examples of FIPS 180.
    @Test func theHashIsSHA256() throws {
        func hash(_ text: String) throws -> String { try FileDigest.sha256(Array(text.utf8)) }
        #expect(try hash("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        #expect(try hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let long = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        #expect(try hash(long) == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    }

    @Test func aFileIsKnownByItsEnds() throws {
        let path = FileManager.default.temporaryDirectory.path + "/digest-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var bytes = [UInt8](repeating: 7, count: 3 * FileDigest.bytes)
        func digest() throws -> String {
            try Data(bytes).write(to: URL(filePath: path))
            return try FileDigest.of(try Descriptor(opening: path, O_RDONLY), size: Int64(bytes.count))
        }
        let before = try digest()
        #expect(try digest() == before)
        for (offset, isSeen) in [(0, true), (bytes.count - 1, true), (bytes.count / 2, false)] {
            bytes[offset] = 8
            #expect(try (digest() != before) == isSeen, "\(offset)")
            bytes[offset] = 7
        }
        // Short files are hashed whole, and no byte twice.
        bytes = Array("abc".utf8)
        #expect(try digest() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test func digestsDecideBetweenMachines() {
        let here = FileIdentity(device: 1, inode: 2, size: 3, modified: 4, boot: "a", digest: "x")
        var there = FileIdentity(device: 9, inode: 2, size: 3, modified: 4, boot: "b", digest: "x")
        #expect(there.isUnchanged(since: here))
        there.digest = "y"
        #expect(!there.isUnchanged(since: here))
        // Mounted anew on the same machine, a share has another device number.
        (there.boot, there.digest) = ("a", "x")
        #expect(there.isUnchanged(since: here))
        there.digest = nil
        #expect(!there.isUnchanged(since: here))
        for change: (inout FileIdentity) -> Void in [{ $0.inode = 8 }, { $0.size = 8 }, { $0.modified = 8 }] {
            var other = here
            change(&other)
            #expect(!other.isUnchanged(since: here))
        }
    }
}
