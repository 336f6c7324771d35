/// The transactions that are missing in the logs of a store, because history was deleted before its
/// export.
///
/// A gap is written as one transaction, whose changes are the combined difference of the missing
/// ones. It has the id of the last missing transaction. The chain continues with the digest of the
/// last missing transaction.
package struct Gap: Hashable, Sendable {
  /// The id of the first missing transaction.
  package var first: Int64
  /// The digest of the last missing transaction.
  package var resumes: Digest

  package init(first: Int64, resumes: Digest) {
    self.first = first
    self.resumes = resumes
  }

  /// The text of the gap for ``Transaction/details``.
  package var details: String { #"{"first":\#(first),"resumes":"\#(resumes)"}"# }

  fileprivate init?(details: String) {
    let parts = CanonicalText(Array(details.utf8)).members
    guard parts.count == 2,
      let first = Int64(String(decoding: parts[0].value, as: UTF8.self)),
      let resumes = Digest(
        hexadecimal: String(decoding: parts[1].value.dropFirst().dropLast(), as: UTF8.self)
      )
    else { return nil }
    self.init(first: first, resumes: resumes)
    guard self.details == details else { return nil }
  }
}

extension Transaction {
  /// The gap, if this transaction replaces missing transactions; otherwise nil.
  package var gap: Gap? { operation == .gap ? details.flatMap { Gap(details: $0) } : nil }

  /// Whether changes without a record may have come before this transaction: it is a gap, or it
  /// recorded tables of an adopted file again.
  package var followsUnrecordedChanges: Bool {
    operation == .gap || !replacedTables.isEmpty
  }

  /// The tables of an adopted file whose rows this transaction recorded again; its insertions of
  /// these rows don't say that anything changed.
  package var replacedTables: [String] {
    guard operation == .difference || operation == .migration, let details else { return [] }
    return CanonicalText(Array(details.utf8)).value(of: "replaced").map { list in
      CanonicalText(list).elements.compactMap { $0.withUnsafeBytes { parseJSONString($0) } }
    } ?? []
  }

  /// The digest that the digest of the next transaction covers.
  package var chainDigest: Digest? { gap?.resumes ?? digest }

  /// Whether this transaction can be the next one in a history that continues with the id
  /// `expected`.
  package func follows(_ expected: Int64) -> Bool {
    id == expected || id > expected && gap?.first == expected
  }
}
