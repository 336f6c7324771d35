import ChangeLog

/// Something that verification found wrong.
package struct Finding: Hashable, Sendable {
  /// What kind of thing it is.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Bytes that the writer would not have written, or digests that do not fit them.
    case damaged
    /// A file that ends before its trailer.
    case incomplete
    /// Transactions that are missing, or there twice.
    case gap
    /// A value that is kept in a file of its own is missing or altered.
    case value
    /// A token or a digest that speaks of more than there is.
    case endMissing = "end-missing"
    /// A file that is no log, or one that this program can't read.
    case unreadable
    /// An erasure was begun and not finished.
    case unfinished
    /// The store is not what replaying the logs makes.
    case differs
  }

  /// What kind of thing it is.
  package let kind: Kind
  /// What is wrong, where, and what to do, in a sentence.
  package let message: String
  /// The file; empty where none is meant.
  package let path: String
  /// The line in the file, from 1 on; zero where none is meant.
  package let line: Int
  /// The transaction; zero where none is meant.
  package let transaction: Int64

  init(
    _ kind: Kind,
    _ message: String,
    path: String = "",
    line: Int = 0,
    transaction: Int64 = 0
  ) {
    self.kind = kind
    self.message = message
    self.path = path
    self.line = line
    self.transaction = transaction
  }

  /// The same finding in other words.
  package func naming(_ name: (String) -> String) -> Finding {
    Finding(kind, name(message), path: name(path), line: line, transaction: transaction)
  }

  /// Makes a finding of an error; nil for one that says nothing of the logs, such as a full disk.
  init?(_ error: LogError) {
    let kinds: [LogError.Code: Kind] = [
      .damaged: .damaged, .incomplete: .incomplete, .gap: .gap, .newerFormat: .unreadable,
      .notALog: .unreadable, .partial: .unreadable, .missing: .value, .unfinished: .unfinished,
    ]
    guard let kind = kinds[error.code] else { return nil }
    self.init(
      kind,
      error.message,
      path: error.path,
      line: error.line,
      transaction: error.transaction
    )
  }
}
