/// A message of words and values, such as `"saved \(count) trips"`.
///
/// Private values are not shown.
public struct OSLogMessage: ExpressibleByStringInterpolation, Sendable {
  let parts: [OSLogInterpolation.Part]

  /// Creates a message without values.
  public init(stringLiteral value: String) {
    parts = value.isEmpty ? [] : [.words(value)]
  }

  /// Creates a message of words and values.
  ///
  /// A message that will not be written is not created.
  public init(stringInterpolation: OSLogInterpolation) {
    parts = stringInterpolation.parts
  }

  init(parts: [OSLogInterpolation.Part]) {
    self.parts = parts
  }

  func text(showsPrivate: Bool) -> String {
    parts.reduce(into: "") { text, part in
      switch part {
      case .words(let words):
        text += words
      case .value(let value, let isScalar, let alignment, let privacy):
        let shown = privacy.shown(value, isScalar: isScalar, showsPrivate: showsPrivate)
        text += alignment.text(shown)
      }
    }
  }
}

/// Collects the words and values of a message; compiled code calls one function for each part.
public struct OSLogInterpolation: StringInterpolationProtocol, Sendable {
  enum Part: Sendable {
    case words(String)
    case value(String, isScalar: Bool, OSLogStringAlignment, OSLogPrivacy)
  }

  var parts: [Part] = []

  /// Starts an empty message.
  public init(literalCapacity: Int, interpolationCount: Int) {
    parts.reserveCapacity(2 * interpolationCount + 1)
  }

  /// Adds words, which are always readable in the log.
  public mutating func appendLiteral(_ literal: String) {
    if !literal.isEmpty { parts.append(.words(literal)) }
  }

  /// Adds an integer, which can be read unless it is marked private.
  public mutating func appendInterpolation<Number: FixedWidthInteger>(
    _ number: Number,
    format: OSLogIntegerFormatting = .decimal,
    align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto
  ) {
    parts.append(.value(format.text(number), isScalar: true, align, privacy))
  }

  /// Adds a number, which can be read unless it is marked private.
  public mutating func appendInterpolation<Number: BinaryFloatingPoint>(
    _ number: Number,
    format: OSLogFloatFormatting = .fixed,
    align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto
  ) {
    parts.append(.value(format.text(Double(number)), isScalar: true, align, privacy))
  }

  /// Adds a Boolean, which can be read unless it is marked private.
  public mutating func appendInterpolation(
    _ boolean: Bool,
    format: OSLogBoolFormat = .truth,
    privacy: OSLogPrivacy = .auto
  ) {
    let text =
      switch format {
      case .truth: boolean ? "true" : "false"
      case .answer: boolean ? "yes" : "no"
      }
    parts.append(.value(text, isScalar: true, .none, privacy))
  }

  /// Adds a string, which can't be read unless it is marked public.
  public mutating func appendInterpolation(
    _ string: String,
    align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto
  ) {
    parts.append(.value(string, isScalar: false, align, privacy))
  }

  /// Adds the description of a value, which can't be read unless it is marked public.
  @_disfavoredOverload
  public mutating func appendInterpolation<Value>(
    _ value: Value,
    align: OSLogStringAlignment = .none,
    privacy: OSLogPrivacy = .auto
  ) {
    parts.append(.value(String(describing: value), isScalar: false, align, privacy))
  }
}
