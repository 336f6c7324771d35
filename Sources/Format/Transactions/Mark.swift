/// The digest of a snapshot or of a gap, whose transaction is not in the chain of digests.
///
/// A later transaction of the chain contains the mark in its details, and so proves the snapshot or
/// the gap.
package struct Mark: Hashable, Sendable {
  /// What a mark proves: a snapshot or a gap.
  package enum Kind: String, Hashable, Sendable {
    case snapshot, gap
  }

  package var kind: Kind
  /// The id of the snapshot or the gap.
  package var transaction: Int64
  /// The digest of the snapshot or the gap.
  package var digest: Digest

  package init(_ kind: Kind, transaction: Int64, digest: Digest) {
    self.kind = kind
    self.transaction = transaction
    self.digest = digest
  }

  /// The mark as a key and a value of ``Transaction/details``, without braces.
  package var member: String {
    #""\#(kind.rawValue)":{"txn":\#(transaction),"digest":"\#(digest)"}"#
  }

  /// Reads a mark from the last key and value of details; nil if they are not a mark.
  fileprivate init?(details: String) {
    let details = CanonicalText(Array(details.utf8))
    guard let (key, value) = details.members.last,
      let kind = memberName(key).flatMap(Kind.init(rawValue:))
    else { return nil }
    let parts = CanonicalText(value).members.map { String(decoding: $0.value, as: UTF8.self) }
    guard parts.count == 2, let transaction = Int64(parts[0]),
      let digest = Digest(hexadecimal: String(parts[1].dropFirst().dropLast()))
    else { return nil }
    self.init(kind, transaction: transaction, digest: digest)
    guard member.utf8.elementsEqual(key + value) else { return nil }
  }
}

extension Transaction {
  /// The details of a transaction that proves the description of a filter, and that the filtered
  /// logs begin after another transaction.
  package static func details(ofFilter words: String, after first: Int64) -> String {
    let digest = SHA256.digest(of: Array(words.utf8))
    return #"{"filter":"\#(digest)""# + (first > 0 ? #","after":\#(first)}"# : "}")
  }

  /// The transaction after which filtered logs begin, if this transaction proves the description of
  /// their filter; otherwise nil.
  package func start(ofFilter words: String) -> Int64? {
    guard operation == .mark, let details else { return nil }
    let after = CanonicalText(Array(details.utf8)).value(of: "after")
      .flatMap { $0.withUnsafeBytes { parseInteger($0) } }
    return details == Self.details(ofFilter: words, after: after ?? 0) ? after ?? 0 : nil
  }

  /// The snapshot or the gap that this transaction proves; nil if there is none.
  package var mark: Mark? {
    guard operation == .mark || operation == .prune else { return nil }
    let mark = details.flatMap { Mark(details: $0) }
    // A transaction can't prove a later state.
    return mark.flatMap { $0.transaction < id ? $0 : nil }
  }
}
