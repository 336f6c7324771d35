import Format

/// One row of `ATRANSACTION`.
package struct AppleTransaction: Hashable, Sendable {
  /// The framework's number, which its tokens count.
  package let number: Int64
  /// Seconds since 2001; the value as the file has it.
  package let time: Value
  package let author: String?
  package let context: String?
  /// The name of the process.
  package let process: String?
  package let bundle: String?

  private static let migrator =
    "com.apple.coredata.schemamigrator: lightweight migration from model with digest {"

  /// The digest of the model before a migration, if the transaction marks one.
  package var migratedFrom: String? {
    guard let author, author.utf8.starts(with: Self.migrator.utf8) else { return nil }
    let rest = author.dropFirst(Self.migrator.count).prefix { $0 != "}" }
    return String(rest.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}

/// One row of `ACHANGE`.
package struct AppleChange: Hashable, Sendable {
  package enum Kind: Int64, Hashable, Sendable, CaseIterable {
    case insert = 0
    case update = 1
    case delete = 2
  }

  /// Why a part of a change can't be read.
  package enum Unread: Hashable, Sendable {
    case unknownEntity(Int64)
    case unknownKind(Int64)
    case bitmap(BitmapSlots.Unread)
    /// An update without a bitmap.
    case missingBitmap
    /// Another kind of change with a bitmap.
    case unexpectedBitmap
    /// The model is a guess, so bitmaps can't be read.
    case guessedModel
    /// A kept value of an entity that has fewer preserved attributes.
    case unexpectedTombstone(Int)
    /// The number of the transaction, which is missing.
    case missingTransaction
  }

  package struct KeptValue: Hashable, Sendable {
    package let attribute: String
    /// The value as the file has it.
    package let value: Value
  }

  /// The to-many relationships of an update.
  package enum ToMany: Hashable, Sendable {
    /// These relationships changed.
    case known([String])
    /// This many of these relationships changed.
    case candidates([String], count: Int)
  }

  package let number: Int64
  package let transaction: Int64
  /// Nil if the kind is unknown.
  package let kind: Kind?
  /// The index of the object's own entity; nil if its number is unknown.
  package let entity: Int?
  package let id: Int64
  /// The attributes and to-one relationships that an update names.
  package var properties: [String] = []
  package var toMany = ToMany.known([])
  package var tombstone: [KeptValue] = []
  package var unread: [Unread] = []
}
