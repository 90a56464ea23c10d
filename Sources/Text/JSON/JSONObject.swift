// The members of an object. A dictionary that remembers the order and the members that another one of the same name has
// overruled, because a list is read in the order in which it is written. Equal are those whose members that count are equal.

/// The members of a JSON object.
public struct JSONObject: Sendable {
    /// A member.
    public typealias Member = (name: String, value: JSONValue)

    /// All members in the order written, with those that do not count.
    public private(set) var written: [Member] = []
    private var places: [String: Int] = [:]

    /// An object without members.
    public init() {}

    /// An object of these members.
    public init(_ members: [String: JSONValue]) {
        for (name, value) in members { append(name, value) }
    }

    /// The value that counts of a name; nil takes the member away.
    public subscript(name: String) -> JSONValue? {
        get { places[name].map { written[$0].value } }
        set {
            if let newValue, let place = places[name] {
                written[place].value = newValue
            } else if let newValue {
                append(name, newValue)
            } else if places[name] != nil {
                let rest = members.filter { $0.name != name }
                self = JSONObject()
                for (name, value) in rest { append(name, value) }
            }
        }
    }

    /// Adds what is written next.
    /// - Parameter firstCounts: whether an earlier member of the name overrules this one, not the other way round.
    mutating func append(_ name: String, _ value: JSONValue, firstCounts: Bool = false) {
        written.append((name, value))
        if !firstCounts || places[name] == nil { places[name] = written.count - 1 }
    }

    /// The members that count, in the order written.
    public var members: [Member] {
        if places.count == written.count { return written }
        return written.enumerated().filter { places[$1.name] == $0 }.map(\.element)
    }

    /// The names, in no order.
    public var names: some Collection<String> { places.keys }

    /// The members that count.
    public var dictionary: [String: JSONValue] { places.mapValues { written[$0].value } }
}

extension JSONObject: Hashable {
    /// Whether the members that count are the same.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.places.count == right.places.count
            && left.places.allSatisfy { left.written[$0.value].value == right[$0.key] }
    }

    /// Feeds the names: what they stand for seldom tells two objects apart.
    public func hash(into hasher: inout Hasher) { hasher.combine(Set(places.keys)) }
}
