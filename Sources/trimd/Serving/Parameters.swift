// Parameters: decodes the JSON of a request into its type. Errors get the most specific stable code: `invalidTime` for a time,
// `invalidPreset` for a preset, `invalidRequest` otherwise. Pure, any queue.
internal import Media
internal import MediaTime
internal import Text
internal import Wire

/// Decodes parameters.
enum Parameters {
    /// The parameters as the method's type.
    static func read<Value: Decodable>(_: Value.Type, _ json: JSONValue) throws(MediaError) -> Value {
        do {
            return try json.value(of: Value.self)
        } catch { throw explain(error) }
    }

    private static func explain(_ error: any Error) -> MediaError {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            return refusal(context.codingPath + [key], "is missing")
        case DecodingError.typeMismatch(let type, let context):
            return refusal(context.codingPath, "is not \(jsonTypeName(type))")
        case DecodingError.valueNotFound(_, let context): return refusal(context.codingPath, "is null")
        case DecodingError.dataCorrupted(let context):
            if let time = context.underlyingError as? TimeError {
                return MediaError(.invalidTime, "\(path(context.codingPath)): \(time.message)")
            }
            // A number that the type cannot represent, such as 1.5 jobs.
            if context.underlyingError is JSONNumberFault {
                return refusal([], "hold a number that does not fit")
            }
            return refusal(context.codingPath, context.debugDescription)
        case let error as TimeError: return MediaError(.invalidTime, error.message)
        case let error as MediaError: return error
        default: return MediaError(.invalidRequest, "the parameters cannot be read: \(error)")
        }
    }

    private static func refusal(_ keys: [any CodingKey], _ why: String) -> MediaError {
        let isPreset = keys.count > 1 && (keys[0].stringValue == "preset" || keys[0].stringValue == "presets")
        return MediaError(isPreset ? .invalidPreset : .invalidRequest, "\(path(keys)): \(why)")
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        let text = keys.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return text.isEmpty ? "params" : String(text.drop { $0 == "." })
    }
}
