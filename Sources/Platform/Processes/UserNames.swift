// UserNames: the numbers of users, from the system's databases (passwd, LDAP and so on, which may take long). Any thread; no
// state.
//
// `unsafe` here: getpwnam_r fills a struct and a buffer, gone when the call returns.
internal import Glibc

/// The users of this machine.
public enum UserNames {
    /// The number of a user with this name; nil if there is none.
    public static func id(of name: String) -> UInt32? {
        guard !name.utf8.contains(0) else { return nil }
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 64 << 10)
        let code = unsafe getpwnam_r(name, &entry, &buffer, buffer.count, &found)
        guard code == 0, unsafe found != nil else { return nil }
        return unsafe entry.pw_uid
    }
}
