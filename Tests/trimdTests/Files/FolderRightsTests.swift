// Who may write in a folder, and what an output in it is to be: as the kernel would say.
import Glibc
import Platform
import Testing
import Wire

@testable import trimd

@Suite struct FolderRightsTests {
    private func user(_ uid: UInt32, _ gid: UInt32, _ groups: UInt32...) -> PeerCredentials {
        PeerCredentials(pid: 1, uid: uid, gid: gid, groups: groups)
    }

    @Test func theModeDecides() {
        let rights = FolderRights(owner: 1, group: 10, mode: 0o2735)
        #expect(rights.allowsWriting(by: user(0, 0)))
        #expect(rights.allowsWriting(by: user(1, 1)))
        #expect(rights.allowsWriting(by: user(2, 10)))
        #expect(rights.allowsWriting(by: user(2, 2, 3, 10)))
        #expect(!rights.allowsWriting(by: user(2, 2, 3)))
        // The first that fits counts: an owner has no group's rights.
        #expect(!FolderRights(owner: 1, group: 10, mode: 0o077).allowsWriting(by: user(1, 10)))
        #expect(!FolderRights(owner: 1, group: 10, mode: 0o707).allowsWriting(by: user(2, 10)))
        // Writing without searching makes no file.
        #expect(!FolderRights(owner: 1, group: 10, mode: 0o600).allowsWriting(by: user(1, 1)))
    }

    @Test func theListDecides() {
        let list: [FolderRights.Entry] = [
            .init(whom: .owner, bits: 7), .init(whom: .user(2), bits: 7), .init(whom: .user(3), bits: 5),
            .init(whom: .owningGroup, bits: 5), .init(whom: .group(20), bits: 7), .init(whom: .mask, bits: 7),
            .init(whom: .others, bits: 0),
        ]
        let rights = FolderRights(owner: 1, group: 10, mode: 0o770, list: list)
        #expect(rights.allowsWriting(by: user(2, 2)))
        #expect(!rights.allowsWriting(by: user(3, 20)))
        #expect(!rights.allowsWriting(by: user(4, 10)))
        #expect(rights.allowsWriting(by: user(4, 10, 20)))
        #expect(!rights.allowsWriting(by: user(5, 5)))
        let masked = list.map { $0.whom == .mask ? FolderRights.Entry(whom: .mask, bits: 5) : $0 }
        let narrow = FolderRights(owner: 1, group: 10, mode: 0o750, list: masked)
        #expect(!narrow.allowsWriting(by: user(2, 2)))
        #expect(!narrow.allowsWriting(by: user(4, 20)))
        #expect(narrow.allowsWriting(by: user(1, 1)))
        #expect(!FolderRights(owner: 1, group: 10, mode: 0o777, list: []).allowsWriting(by: user(1, 1)))
    }

    @Test func theListIsRead() {
        // As setfacl -m u:1000:rwx makes it.
        let bytes: [UInt8] = [
            2, 0, 0, 0, 1, 0, 7, 0, 255, 255, 255, 255, 2, 0, 7, 0, 232, 3, 0, 0, 4, 0, 5, 0, 255, 255, 255,
            255,
            16, 0, 7, 0, 255, 255, 255, 255, 32, 0, 5, 0, 255, 255, 255, 255,
        ]
        let entries = FolderRights.entries(bytes)
        #expect(entries.map(\.whom) == [.owner, .user(1000), .owningGroup, .mask, .others])
        #expect(entries.map(\.bits) == [7, 7, 5, 7, 5])
        for count in bytes.indices where count != 4 && (count - 4) % 8 != 0 {
            #expect(FolderRights.entries(bytes.prefix(count)).isEmpty)
        }
        #expect(FolderRights.entries([3, 0, 0, 0]).isEmpty)
    }

    @Test(
        arguments: [
            (0o2775, 0o664), (0o2770, 0o660), (0o2750, 0o640), (0o755, 0o644), (0o700, 0o600),
            (0o1777, 0o664),
        ] as [(UInt32, UInt32)])
    func outputsAreAsTheFolderAllows(_ folder: UInt32, _ file: UInt32) {
        #expect(FolderRights(owner: 1, group: 1, mode: folder).fileMode == file)
    }

    /// The answers of fgetxattr(2): bytes, or an errno.
    @Test(
        arguments: [
            (ENODATA, true), (EOPNOTSUPP, true), (EIO, nil), (ENOMEM, nil), (EACCES, nil), (EPERM, nil),
            (EBADF, nil),
            (ENOSYS, nil), (E2BIG, nil), (ERANGE, false),
        ] as [(Int32, Bool?)])
    func onlyNoListMeansThatTheModeSaysAll(_ code: Int32, _ isNone: Bool?) throws {
        guard let isNone else {
            let error = #expect(throws: SystemError.self) { try FolderRights.list([], -1, code, of: "/f") }
            #expect(error?.code == code && error?.object == "/f")
            return
        }
        #expect(try FolderRights.list([], -1, code, of: "/f") == (isNone ? nil : []))
    }

    @Test func whatIsReadIsTheList() throws {
        #expect(
            try FolderRights.list([2, 0, 0, 0, 1, 0, 7, 0, 255, 255, 255, 255], 12, 0, of: "/f")?.count == 1)
        #expect(try FolderRights.list([], 0, 0, of: "/f") == [])
    }
}
