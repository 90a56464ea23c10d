// The memory that forks have from their server: what costs time to copy lies in a file, and what they run is in their page tables.
import Foundation
import Glibc
import Platform
import Testing

@testable import trimd

extension ForkServerTests {
    /// The data of libraries lie in a file in memory, of which each process has private mappings: forks have no pages of it to copy.
    @Test(.enabled(if: getuid() == 0, "only root may see another process's mappings"))
    func forksShareTheDataOfLibraries() throws {
        let pool = try pool()
        defer { pool.close() }
        let server = try server(of: pool)
        let fork = try sealed(pool)
        defer { fork.kill() }
        #expect(isForked(fork))
        for pid in [server, fork.identity.pid] {
            let maps = WorkerProcess(pid).mappings
            let shared = maps.filter { $0.contains("memfd:data") }
            #expect(shared.count > 100)
            let rights = Set(shared.compactMap { $0.split(separator: " ").dropFirst().first })
            #expect(rights == ["r--p", "rw-p"], "private, and never code")
            let place = try #require(shared.first?.split(separator: " ").first)
            if let file = try? Descriptor(opening: "/proc/\(pid)/map_files/\(place)", O_RDONLY) {
                #expect(fcntl(file.rawValue, 1034 /* F_GET_SEALS */) == 15)
            }
            // Data that relocation has written and that lie in the library's own file would be such pages.
            #expect(!maps.contains { $0.contains(" rw-p ") && $0.contains(".so") })
        }
        #expect(try probe(fork) == ForkServerTests.notAFilm)
    }

    /// The kernel leaves the pages of a file's mapping to page faults, unless the mapping has a page of its own.
    @Test(
        .enabled(if: getuid() == 0, "only root may see another process's mappings"),
        .enabled(if: ForkServerTests.kernelWritesCode, "this kernel lets no process write in code"))
    func forksHaveTheCodeThatTheServerRan() throws {
        let pool = try pool()
        defer { pool.close() }
        let server = WorkerProcess(try server(of: pool))
        let fork = try sealed(pool)
        defer { fork.kill() }
        #expect(isForked(fork))
        for name in ["/trim-worker", "/libavcodec.so", "/libavformat.so", "/libc.so"] {
            let ran = server.code(of: name)
            #expect(ran.resident > 500 && ran.own == 4, "KiB of \(name): it has one page of its own")
            #expect(WorkerProcess(fork.identity.pid).code(of: name).resident * 10 >= ran.resident * 9)
        }
        #expect(server.code(of: "/libx265.so").own == 0, "what few workers run stays the file's")
        #expect(try probe(fork) == ForkServerTests.notAFilm)
    }

    /// Whether a process may write in code of its own through /proc.
    private static var kernelWritesCode: Bool {
        let code = WorkerProcess(getpid()).mappings.first { $0.contains(" r-xp ") && $0.contains("/") }
        guard let address = code?.prefix(while: { $0 != "-" }), let at = Int(address, radix: 16),
            let memory = try? Descriptor(opening: "/proc/self/mem", O_RDWR),
            let byte = try? Kernel.read(memory, 1, at: Int64(at))
        else { return false }
        return unsafe pwrite(memory.rawValue, byte, 1, at) == 1
    }
}
