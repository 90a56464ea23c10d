// An option of an export: its declaration, from which the command line, the columns of lists, JSON and its schema, manual pages and
// completions follow. ExportOptions declares them all. Pure.
internal import MediaTime
public import Text

/// An option of an export over its preset, declared once.
public struct ExportOption: Sendable {
    /// The part of an output that an option is about.
    public enum Subject: Hashable, Sendable { case output, video, audio }

    /// Where an option can be given besides an export of its own.
    public struct Use: OptionSet, Sendable {
        /// The bits.
        public let rawValue: Int

        /// Creates a set from its bits.
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// For each cut of a list: a column of tables.
        public static let lists = Use(rawValue: 1)
        /// For a check of which presets are valid.
        public static let checks = Use(rawValue: 2)
        /// For a comparison of an output with its source: it changes what the output has to show.
        public static let comparisons = Use(rawValue: 4)
    }

    /// How its values are written.
    public enum Form: Hashable, Sendable {
        /// It is given or not.
        case flag
        /// Any text that it parses.
        case text
        /// One of these.
        case choice([String])
        /// A file, or another text.
        case file
    }

    /// Its name on the command line, without dashes, and as a column of lists.
    public let name: String
    /// Its key in JSON.
    public let key: String
    /// The name of its value in help; nil: it is a flag.
    public let valueName: String?
    /// How its values are written.
    public let form: Form
    /// Its description, one sentence without a full stop.
    public let help: String
    /// The value of an export that does not have it, if that can be written.
    public let standard: String?
    /// The part of the output that it is about.
    public let subject: Subject
    /// The tracks that it changes, so that they are encoded.
    public let changes: Set<Subject>
    /// Where else it can be given.
    public let uses: Use
    /// The names of the options that it contradicts, as these do it.
    private let excludes: [String]
    /// The JSON Schema of its value, without the description.
    public let schema: [String: JSONValue]
    /// The form of its values as the end of a sentence, and values to write.
    private let kind: String, examples: String

    private let isSet: @Sendable (ExportOptions) -> Bool
    private let parse: @Sendable (String, inout ExportOptions) -> Bool
    private let copy: @Sendable (ExportOptions, inout ExportOptions) -> Void
    private let fault: @Sendable (ExportOptions) -> String?
    private let read: @Sendable (KeyedDecodingContainer<JSONKey>, inout ExportOptions) throws -> Void
    private let write: @Sendable (ExportOptions, inout KeyedEncodingContainer<JSONKey>) throws -> Void

    /// Declares an option.
    /// - Parameters:
    ///   - key: nil: the name.
    ///   - changes: the tracks that it changes, so that they are encoded.
    init<Value: Codable & Sendable>(
        _ name: String, key: String? = nil, _ path: any WritableKeyPath<ExportOptions, Value?> & Sendable,
        _ values: OptionValues<Value>, as valueName: String? = nil, _ help: String, standard: String? = nil,
        of subject: Subject, changes: Set<Subject> = [], for uses: Use = [], excludes: [String] = []
    ) {
        let key = JSONKey(key ?? name)
        self.name = name
        self.key = key.stringValue
        self.valueName = valueName
        self.help = help
        self.standard = standard
        self.subject = subject
        self.changes = changes
        self.uses = uses
        self.excludes = excludes
        (form, schema, kind, examples) = (values.form, values.schema, values.kind, values.examples)
        isSet = { $0[keyPath: path] != nil }
        copy = { $1[keyPath: path] = $0[keyPath: path] }
        parse = { text, options in
            guard let value = values.parse(text), values.isValid(value) else { return false }
            options[keyPath: path] = values.isNone(value) ? nil : value
            return true
        }
        fault = { options in
            guard let value = options[keyPath: path], !values.isValid(value) else { return nil }
            return values.fault(value)
        }
        read = { container, options in
            let value = try values.read(container, key)
            options[keyPath: path] = value.flatMap { values.isNone($0) ? nil : $0 }
        }
        write = { options, container in
            guard let value = options[keyPath: path] else { return }
            try values.write(value, &container, key)
        }
    }

    /// Whether options have it.
    public func isGiven(in options: ExportOptions) -> Bool { isSet(options) }

    /// Sets the option from its text; a flag has none. Throws if the text is none of its values.
    /// - Parameter name: the option in the error.
    public func set(
        _ text: String = "", in options: inout ExportOptions, as name: String
    ) throws(MediaError) {
        if parse(text, &options) { return }
        throw MediaError(
            .invalidRequest, "\(name): '\(text)' is not \(kind)", remedy: "write \(examples)")
    }

    /// Whether only one of both may be given.
    public func contradicts(_ other: ExportOption) -> Bool {
        excludes.contains(other.name) || other.excludes.contains(name)
    }

    /// Takes the value of other options where these have none, and none that contradicts it.
    func complete(_ options: inout ExportOptions, by others: ExportOptions) {
        let mine = ExportOption.all.filter { $0.isGiven(in: options) }
        guard !mine.contains(where: { $0.key == key || contradicts($0) }) else { return }
        copy(others, &options)
    }

    func decode(_ values: KeyedDecodingContainer<JSONKey>, into options: inout ExportOptions) throws {
        try read(values, &options)
    }

    func encode(_ options: ExportOptions, to values: inout KeyedEncodingContainer<JSONKey>) throws {
        try write(options, &values)
    }

    /// Throws if its value is none that it may have.
    func validate(_ options: ExportOptions) throws(InvalidValue) {
        if let reason = fault(options) { throw InvalidValue(JSONKey(key), reason) }
    }
}

extension ExportOption: CustomStringConvertible {
    /// The option as it is typed.
    public var description: String { "--\(name)" }
}

extension ExportOption: Hashable {
    /// Whether they are the same option.
    public static func == (left: ExportOption, right: ExportOption) -> Bool { left.name == right.name }

    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
