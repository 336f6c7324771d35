/// What the details of a transaction say about a store of Core Data or SwiftData.
package struct AppleNotes {
  private let text: CanonicalText

  fileprivate init(_ text: CanonicalText) { self.text = text }

  /// The app's number of the transaction.
  package var transaction: Int64? { text.number("transaction").flatMap { Int64($0) } }
  package var context: String? { text.string("context") }
  /// The digest of the model before a migration of the app.
  package var migratedFrom: String? { text.string("migratedFrom") }
  package var guess: String? { text.string("guess") }
  /// Whether some values are those of the present rows.
  package var hasResolvedValues: Bool { text.string("values") == "resolved" }
  /// The first transaction of the app's history, before which the objects existed.
  package var before: String? { text.number("before") }
  /// Whether history does not explain the changes.
  package var isUnexplained: Bool { text.number("rows") != nil }

  /// The changes that can't be read, or only in part, in words.
  package var unread: [String] {
    elements("unread").map { entry in
      let place = entry.number("seq").map { "change \($0)" }
      let number = entry.number("change") ?? "?"
      return "\(place ?? "the app's change \(number)"): \(entry.string("reason") ?? "")"
    }
  }

  /// The changes of which only the number of changed to-many relationships is known, in words.
  package var toMany: [String] {
    elements("toMany").map { entry in
      let names = entry.value(of: "of").map { CanonicalText($0).elements } ?? []
      let list = names.compactMap { $0.withUnsafeBytes { parseJSONString($0) } }
      return "change \(entry.number("seq") ?? "?") changed \(entry.number("changed") ?? "?") of "
        + list.joined(separator: ", ")
    }
  }

  private func elements(_ key: String) -> [CanonicalText] {
    text.value(of: key).map { CanonicalText($0).elements.map { CanonicalText($0) } } ?? []
  }
}

extension Transaction {
  /// What a store of Core Data or SwiftData says about the transaction; nil for another store.
  package var apple: AppleNotes? {
    guard operation == .recorded || operation == .difference, let details,
      let value = CanonicalText(Array(details.utf8)).value(of: "apple")
    else { return nil }
    return AppleNotes(CanonicalText(value))
  }
}

extension CanonicalText {
  fileprivate func string(_ key: String) -> String? {
    value(of: key).flatMap { $0.withUnsafeBytes { parseJSONString($0) } }
  }

  fileprivate func number(_ key: String) -> String? {
    value(of: key).map { String(decoding: $0, as: UTF8.self) }
  }
}
