// Names of types in errors about JSON, as its writers know them. Pure.

/// A type in words, with its article: `a whole number`, `an object`.
public func jsonTypeName(_ type: any Any.Type) -> String {
    switch type {
    case is String.Type: "a string"
    case is Bool.Type: "a truth value"
    case is any FixedWidthInteger.Type: "a whole number"
    case is any BinaryFloatingPoint.Type: "a number"
    case is [Any].Type: "a list"
    case is [String: Any].Type: "an object"
    default: "\(type)".hasPrefix("Array") ? "a list" : "an object"
    }
}
