/// The words that a shell can offer as the value of a parameter.
package enum Completion: Hashable, Sendable {
  case nothing, file, folder
  case words([String])
}

/// The form of a value on a command line.
package struct ValueType<Value: Sendable>: Sendable {
  package let placeholder: String
  package let completion: Completion
  /// The accepted values, in words that complete the sentence “give …”.
  package let forms: String
  /// A corrected text to suggest instead of the refused text; nil if no correction is known.
  let hint: @Sendable (String) -> String?
  /// Converts a text into a value; nil if the text is refused.
  package let parse: @Sendable (String) -> Value?

  package init(
    placeholder: String,
    completion: Completion = .nothing,
    forms: String,
    hint: @escaping @Sendable (String) -> String? = { _ in nil },
    parse: @escaping @Sendable (String) -> Value?
  ) {
    self.placeholder = placeholder
    self.completion = completion
    self.forms = forms
    self.hint = hint
    self.parse = parse
  }

  func value(of spelling: String, text: String?) throws -> Value {
    guard let text else {
      throw CommandError(.usage, message: "\(spelling) has no value; give \(forms).")
    }
    guard let value = parse(text) else {
      throw CommandError(
        .usage,
        message: "\(quotedValue(text)) is not a value for \(spelling); give \(forms).",
        hint: suggestion(for: text)
      )
    }
    return value
  }

  private func suggestion(for text: String) -> String? {
    guard case .words(let words) = completion else { return hint(text) }
    return nearest(to: text, in: words).map { "Did you mean \(quotedValue($0))?" }
  }
}

extension ValueType where Value == String {
  package static let text = ValueType(placeholder: "TEXT", forms: "a text") { $0 }
  package static let file = ValueType(
    placeholder: "FILE",
    completion: .file,
    forms: "the path of a file"
  ) { $0.isEmpty ? nil : $0 }
  package static let folder = ValueType(
    placeholder: "FOLDER",
    completion: .folder,
    forms: "the path of a folder"
  ) { $0.isEmpty ? nil : $0 }
}

extension ValueType where Value == Int {
  package static func integer(in range: ClosedRange<Int> = .min...(.max)) -> ValueType {
    ValueType(placeholder: "NUMBER", forms: integerForms(range)) { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension ValueType where Value == UInt64 {
  /// A whole number that is not negative.
  package static let natural = ValueType(
    placeholder: "NUMBER",
    forms: "a whole number from 0 to \(UInt64.max)"
  ) { UInt64($0) }
}

extension ValueType where Value: CaseIterable & RawRepresentable<String> {
  package static var oneOf: ValueType {
    let words = Value.allCases.map(\.rawValue)
    return ValueType(
      placeholder: words.joined(separator: "|"),
      completion: .words(words),
      forms: alternatives(words)
    ) { Value(rawValue: $0) }
  }
}

private func integerForms(_ range: ClosedRange<Int>) -> String {
  switch (range.lowerBound == .min, range.upperBound == .max) {
  case (true, true): "a whole number"
  case (false, true): "a whole number that is at least \(range.lowerBound)"
  case (true, false): "a whole number that is at most \(range.upperBound)"
  case (false, false): "a whole number from \(range.lowerBound) to \(range.upperBound)"
  }
}

func alternatives(_ words: [String]) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
  return words.dropLast().joined(separator: ", ") + " or " + last
}

/// A value in quotes, with at most 80 characters; for a longer value, its beginning and its size.
package func quotedValue(_ text: String) -> String { "“\(shortened(text))”" }

func shortened(_ text: String) -> String {
  text.count > 80 ? "\(text.prefix(50))… (\(text.count) characters)" : text
}
