// Whoever is told that a job is completed may unmount the disk of its output.
import Foundation
import Glibc
import Testing

@Suite(.timeLimit(.minutes(10))) struct CompletedOutputTests {
    /// The processes that have a file open whose path begins so.
    private static func holders(of path: String) -> [Int32] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return all.compactMap { Int32($0) }.filter { pid in
            let files = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd")) ?? []
            return files.contains { file in
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/\(pid)/fd/\(file)")
                return target?.hasPrefix(path) == true
            }
        }
    }

    /// The verifier, which may still end, has closed it.
    @Test(.enabled(if: getuid() == 0, "only root may see the open files of a sealed process"))
    func nobodyHasItOpen() throws {
        let rig = try Rig()
        let film = try rig.film()
        let folder = URL(filePath: rig.path("out"))
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        for round in 0..<20 {
            let output = folder.appending(path: "\(round).mp4").path
            #expect(rig.trimctl("export", film, "-o", output, "--end", "1", "--render", "copy").code == 0)
            #expect(CompletedOutputTests.holders(of: folder.path).isEmpty, "round \(round)")
        }
        let file = try FileHandle(forReadingFrom: folder.appending(path: "0.mp4"))
        #expect(
            CompletedOutputTests.holders(of: folder.path).contains(getpid()), "else nothing would be found")
        try file.close()
    }
}
