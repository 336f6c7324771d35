/// What lies between the logs of a store and its history, where the history in between was deleted
/// before it was exported.
///
/// It is written as one transaction with what the objects differ in. That transaction has the id of
/// the last one that is missing, and the chain of digests goes on after it with the digest that the
/// missing one had.
package struct Gap: Hashable, Sendable {
  /// The first transaction that is missing.
  package var first: Int64
  /// The digest of the last one that is missing.
  package var resumes: Digest

  /// Makes a gap.
  package init(first: Int64, resumes: Digest) {
    self.first = first
    self.resumes = resumes
  }

  /// The gap as a transaction says it of itself.
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
  /// What it fills, where it stands for transactions that are missing.
  package var gap: Gap? { operation == .gap ? details.flatMap { Gap(details: $0) } : nil }

  /// The digest that the next transaction's is made after.
  package var chainDigest: Digest? { gap?.resumes ?? digest }

  /// Whether this transaction may come when another id is next.
  package func follows(_ expected: Int64) -> Bool {
    id == expected || id > expected && gap?.first == expected
  }
}
