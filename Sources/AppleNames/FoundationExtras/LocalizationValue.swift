import Foundation

extension String {
  /// A text with values that is looked up in a bundle's tables.
  ///
  /// If no table has a translation, the text itself is used.
  public struct LocalizationValue: ExpressibleByStringInterpolation, Hashable, Sendable {
    /// The key of the text in the tables; `%@`, `%lld` and `%lf` stand for the values.
    let key: String
    let values: [Value]

    /// A value in the text, and its format.
    enum Value: Hashable, Sendable {
      case text(String)
      case integer(Int64)
      case fraction(Double)
    }

    /// Creates a text without values, the same as `init(stringLiteral:)`.
    public init(_ value: String) {
      self.init(stringLiteral: value)
    }

    /// Creates a text without values.
    public init(stringLiteral value: String) {
      key = value
      values = []
    }

    /// Creates a text with values, such as `"\(count) trips"`.
    public init(stringInterpolation: StringInterpolation) {
      key = stringInterpolation.key
      values = stringInterpolation.values
    }

    /// Collects the words and the values of a string literal.
    ///
    /// The compiler calls one function for each part of the literal.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
      var key = ""
      var values: [Value] = []

      /// Starts an empty text.
      public init(literalCapacity: Int, interpolationCount: Int) {}

      /// Adds words.
      ///
      /// A percent sign is doubled in the key, because a single one begins a placeholder.
      public mutating func appendLiteral(_ literal: String) {
        key += literal.replacing("%", with: "%%")
      }

      /// Adds a string, which is `%@` in the key.
      ///
      /// The string itself is not translated.
      public mutating func appendInterpolation(_ string: String) {
        key += "%@"
        values.append(.text(string))
      }

      /// Adds an integer, which is `%lld` in the key and is written in the locale's form.
      ///
      /// An integer that does not fit into 64 bits is added as a string.
      public mutating func appendInterpolation<Number: FixedWidthInteger>(_ number: Number) {
        guard let exact = Int64(exactly: number) else { return appendInterpolation("\(number)") }
        key += "%lld"
        values.append(.integer(exact))
      }

      /// Adds a number, which is `%lf` in the key and is written in the locale's form, such as
      /// "0,5" in German.
      public mutating func appendInterpolation(_ number: Double) {
        key += "%lf"
        values.append(.fraction(number))
      }

      /// Adds a value in the form of a format style, such as `.percent`.
      ///
      /// In the key, the value is `%@`.
      public mutating func appendInterpolation<Style: FormatStyle>(
        _ input: Style.FormatInput,
        format: Style
      ) where Style.FormatOutput == String {
        appendInterpolation(format.format(input))
      }

      /// Adds the description of a value of any type.
      ///
      /// This function is for values that are not strings or numbers.
      public mutating func appendInterpolation<Value>(_ value: Value) {
        appendInterpolation(String(describing: value))
      }
    }
  }
}

extension String.LocalizationValue {
  /// The text in a bundle's table; the literal if the table does not have the text.
  func text(table: String?, bundle: Bundle, locale: Locale) -> String {
    let format = bundle.localizedString(forKey: key, value: nil, table: table)
    return values.isEmpty ? format : filled(format, locale: locale)
  }

  /// A format with the values in their places; a translation may put them in another order (`%2$@`).
  func filled(_ format: String, locale: Locale) -> String {
    var text = ""
    var next = 0
    var rest = format[...]
    while let percent = rest.firstIndex(of: "%") {
      text += rest[..<percent]
      rest = rest[percent...].dropFirst()
      if rest.first == "%" {
        text += "%"
        rest.removeFirst()
        continue
      }
      let digits = rest.prefix { $0.isWholeNumber }
      var place = next
      if let number = Int(digits), rest.dropFirst(digits.count).first == "$" {
        place = number - 1
        rest = rest.dropFirst(digits.count + 1)
      } else {
        next += 1
      }
      for specifier in ["@", "lld", "ld", "d", "lf", "f"] where rest.hasPrefix(specifier) {
        rest = rest.dropFirst(specifier.count)
        break
      }
      if values.indices.contains(place) { text += values[place].text(locale) }
    }
    return text + rest
  }
}

extension String.LocalizationValue.Value {
  func text(_ locale: Locale) -> String {
    switch self {
    case .text(let text): text
    case .integer(let number): number.formatted(.number.locale(locale))
    case .fraction(let number):
      number.formatted(.number.precision(.fractionLength(6)).locale(locale))
    }
  }
}
