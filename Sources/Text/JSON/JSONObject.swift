// The members of an object: a dictionary that keeps the order of its members and those overridden by another of the same name,
// because a list is read in its written order. Two objects are equal if their effective members are equal.

/// The members of a JSON object.
public struct JSONObject: Sendable {
    /// A member.
    public typealias Member = (name: String, value: JSONValue)

    /// All members in written order, including overridden ones.
    public private(set) var written: [Member] = []
    private var positions: [String: Int] = [:]

    /// Creates an empty object.
    public init() {}

    /// Creates an object with these members.
    public init(_ members: [String: JSONValue]) {
        for (name, value) in members { append(name, value) }
    }

    /// The effective value of a name; nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get { positions[name].map { written[$0].value } }
        set {
            if let newValue, let position = positions[name] {
                written[position].value = newValue
            } else if let newValue {
                append(name, newValue)
            } else if positions[name] != nil {
                let rest = members.filter { $0.name != name }
                self = JSONObject()
                for (name, value) in rest { append(name, value) }
            }
        }
    }

    /// Appends a member in written order.
    /// - Parameter firstCounts: whether an earlier member of the same name takes precedence over this one.
    mutating func append(_ name: String, _ value: JSONValue, firstCounts: Bool = false) {
        written.append((name, value))
        if !firstCounts || positions[name] == nil { positions[name] = written.count - 1 }
    }

    /// The effective members, in written order.
    public var members: [Member] {
        if positions.count == written.count { return written }
        return written.enumerated().filter { positions[$1.name] == $0 }.map(\.element)
    }

    /// The names, unordered.
    public var names: some Collection<String> { positions.keys }

    /// The effective members.
    public var dictionary: [String: JSONValue] { positions.mapValues { written[$0].value } }
}

extension JSONObject: Hashable {
    /// Whether the effective members are equal.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.positions.count == right.positions.count
            && left.positions.allSatisfy { left.written[$0.value].value == right[$0.key] }
    }

    /// Hashes the names only: values seldom distinguish two objects.
    public func hash(into hasher: inout Hasher) { hasher.combine(Set(positions.keys)) }
}
