// The stored identity distinguishes a file or folder from others, also days later and after a reboot.
import JobQueue
import Media
import Platform
import Testing

@testable import trimd

@Suite struct StoredIdentityTests {
    private let then = StoredIdentity(FileIdentity(device: 7, inode: 8, size: 0, modified: 0, boot: "one"))

    private func stored(_ device: UInt64, _ inode: UInt64, boot: String?) -> StoredIdentity {
        StoredIdentity(FileIdentity(device: device, inode: inode, size: 0, modified: 0, boot: boot))
    }

    @Test func aDeviceMayHaveAnotherNumberAfterABoot() {
        #expect(stored(9, 8, boot: "two").isSame(as: then))
        #expect(!stored(9, 8, boot: "one").isSame(as: then))
        #expect(!stored(7, 9, boot: "two").isSame(as: then))
        #expect(stored(7, 8, boot: "one").isSame(as: then))
    }

    /// Two mounts of one NFS on one machine, or one that was mounted anew, have different device numbers.
    @Test func whatIsSharedIsFoundAtAnotherMount() {
        let rights = FolderRights(owner: 1, group: 2, mode: 0o2777)
        let identity = FileIdentity(device: 7, inode: 8, size: 0, modified: 0, boot: "one")
        let shown = StoredIdentity(identity, rights: rights).sharedText
        var other = identity
        other.device = 9
        #expect(StoredIdentity(other, rights: rights).isSame(asShown: shown))
        #expect(!StoredIdentity(other).isSame(asShown: shown))
        other.inode = 9
        #expect(!StoredIdentity(other, rights: rights).isSame(asShown: shown))
    }

    @Test func rightsCountWhateverTheBoot() {
        let rights = FolderRights(owner: 1, group: 2, mode: 0o2775)
        let identity = FileIdentity(device: 7, inode: 8, size: 0, modified: 0, boot: "one")
        let shown = StoredIdentity(identity, rights: rights)
        var later = identity
        (later.device, later.boot) = (9, "two")
        #expect(StoredIdentity(later, rights: rights).isSame(as: shown))
        for other in [
            FolderRights(owner: 9, group: 2, mode: 0o2775), FolderRights(owner: 1, group: 9, mode: 0o2775),
            FolderRights(owner: 1, group: 2, mode: 0o2777),
        ] {
            #expect(!StoredIdentity(later, rights: other).isSame(as: shown))
            #expect(!StoredIdentity(identity, rights: other).isSame(as: shown))
        }
        #expect(!StoredIdentity(identity).isSame(as: shown))
    }

    @Test func theTextIsReadBackAndSoAreThoseOfOldQueues() throws {
        let rights = FolderRights(owner: 1, group: 2, mode: 0o755)
        let shown = StoredIdentity(
            FileIdentity(device: 7, inode: 8, size: 0, modified: 0, boot: "a-b"), rights: rights)
        #expect(shown.text == "7:8:1:2:755@a-b")
        #expect(StoredIdentity(shown.text) == shown)
        #expect(StoredIdentity(then.text) == then)
        // Without the machine's life nobody knows what the device's number means.
        let old = try #require(StoredIdentity("7:8:1:2:755"))
        #expect(old.boot == nil && old.rights == "1:2:755")
        #expect(shown.isSame(as: old))
        #expect(!then.isSame(asShown: "") && !then.isSame(asShown: "7") && !then.isSame(asShown: "7:x"))
    }

    /// As the kernel has renumbered the device of an accepted job's folder.
    @Test func aFolderIsTakenAfterARebootThatRenumbersDevices() throws {
        let scratch = try Scratch()
        let folder = try OutputFolder(opening: scratch.path)
        let stored = try folder.storedIdentity()
        var target = OutputTarget(folder: scratch.path, name: "o.m4a", stem: "o")
        let parts = stored.text.split(separator: ":", maxSplits: 1)
        let device = try #require(UInt64(parts[0]))
        target.place = "\(device + 1):\(parts[1].split(separator: "@")[0])@another-life"
        _ = try OutputFolder.of(target).path
        target.place = "\(device + 1):\(parts[1])"
        #expect(
            #expect(throws: MediaError.self) { _ = try OutputFolder.of(target).path }?.code
                == .permissionDenied)
    }
}
