// Where a page listens: an address of 127.0.0.0/8 and a port of its own for each process, by chance. Nobody can have held it before, so
// that no other user's server has left a service worker there, and a browser keeps nothing of another page's under it.

/// An address of this machine.
struct PageAddress: Hashable, Sendable, Codable {
    /// The last three of the four numbers.
    let numbers: [UInt8]
    let port: UInt16

    /// An address by chance; its port is below those that the kernel gives to clients.
    static func random() -> PageAddress {
        PageAddress(
            numbers: [.random(in: 1...254), .random(in: 0...255), .random(in: 1...254)],
            port: .random(in: 20_000..<32_000))
    }

    /// As a browser is told it: 127.9.8.7:20001.
    var text: String { (["127"] + numbers.map(String.init)).joined(separator: ".") + ":\(port)" }
    /// Its origin.
    var origin: String { "http://" + text }
    /// As the kernel takes it, in the order of the machine; 127.0.0.1 where it has not three numbers.
    var raw: UInt32 {
        numbers.count == 3 ? numbers.reduce(127) { $0 << 8 | UInt32($1) } : 0x7f00_0001
    }
}
