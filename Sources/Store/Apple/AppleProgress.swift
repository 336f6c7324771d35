import AppleStores
import Format
import FoundationEssentials
import SQLite

/// The entry in the catalog of a history file that says what was read of a store of Apple's frameworks.
struct AppleProgress: CatalogEntry {
  static let key = "apple"

  /// The digest of the model at the last reading.
  var model: String?
  /// The last transaction that the app deleted before it was read.
  var purged: Int64 = 0
  /// The changes of transactions that are missing.
  var lostChanges: Int64 = 0
  /// The objects of the store.
  var rows: Int64 = 0
  /// The beginning of history at the last reading.
  var history: AppleHistoryPart?
  /// The rows of an entity that the model does not have.
  var unknownRows: Int64?
  /// Why the model is a guess; nil if the file has it.
  var guess: String?
  /// What the model contradicts in itself, in sentences.
  var findings: [String]?
  /// The rules of the model that the schema does not have.
  var loosened: [Loosened]?
  /// Where the write-ahead log was damaged, in a sentence; nil if it was not.
  var damagedLog: String?
  /// Whether history has the facts about the model.
  var isModelNoted: Bool?

  init() {}

  /// Takes the facts about a model, which history must have again if they changed.
  mutating func setModel(_ digest: String, _ apple: AppleDatabase) {
    let model = apple.store.model
    let loosened = Array(apple.mapping.loosened.prefix(AppleDetails.most))
    if guess != model.guess || self.loosened != loosened { isModelNoted = false }
    (self.model, guess, self.loosened) = (digest, model.guess, loosened)
    findings = Array(model.findings.prefix(AppleDetails.most))
  }
}

/// What is known of a store of Core Data or SwiftData, for people.
package struct AppleFacts: Sendable {
  /// Why the model is a guess; nil if the file has it.
  package let guess: String?
  /// What is unusual about the model, in words.
  package let model: [String]
  /// Where the write-ahead log was damaged, in a sentence; nil if it was not.
  package let damagedLog: String?
  /// The last transaction that the app deleted before it was read; zero if there is none.
  package let purged: Int64

  init(_ progress: AppleProgress) {
    guess = progress.guess
    var model = [progress.guess].compactMap(\.self) + (progress.findings ?? [])
    model += (progress.loosened ?? []).map(\.text)
    if progress.lostChanges > 0 {
      model.append("\(countText(Int(progress.lostChanges), noun: "change")) have no transaction")
    }
    if let rows = progress.unknownRows, rows > 0 {
      model.append(
        "\(countText(Int(rows), noun: "row")) have an entity that the model does not have"
      )
    }
    self.model = model
    (purged, damagedLog) = (progress.purged, progress.damagedLog)
  }
}

/// The transactions of the store that were read, with digests of what they had.
struct AppleTransactions {
  private static let table = "history_apple"
  private let connection: Connection

  init(on connection: Connection) { self.connection = connection }

  static func create(on connection: Connection) throws {
    try connection.execute(
      """
      CREATE TABLE \(table) ("number" INTEGER PRIMARY KEY, "header" INTEGER NOT NULL,
        "changes" INTEGER NOT NULL) STRICT
      """
    )
  }

  /// The last transaction that was read; nil if there is none.
  func last() throws -> Int64? {
    try connection.integer("SELECT max(number) FROM \(Self.table)")
  }

  func add(_ digest: AppleDigest, _ number: Int64) throws {
    let statement = try connection.cached(
      "INSERT OR REPLACE INTO \(Self.table) VALUES (?1, ?2, ?3)"
    )
    try statement.bind(1, number)
    try statement.bind(2, digest.header)
    try statement.bind(3, digest.changes)
    try statement.run()
  }

  /// Whether a transaction is the one that was read before; true if it was not there before.
  ///
  /// A migration of the app gives entities other names and removes changes, so only the header is
  /// compared after one, and the present changes are those to compare from then on.
  func agrees(_ digest: AppleDigest, _ number: Int64, isMigrated: Bool) throws -> Bool {
    let statement = try connection.cached(
      "SELECT header, changes FROM \(Self.table) WHERE number = ?1"
    )
    try statement.bind(1, number)
    defer { statement.reset() }
    guard try statement.step(), statement.int64(at: 0) == digest.header else { return false }
    if statement.int64(at: 1) == digest.changes { return true }
    guard isMigrated else { return false }
    try connection.run(
      "UPDATE \(Self.table) SET changes = ?2 WHERE number = ?1",
      values: [.integer(number), .integer(digest.changes)]
    )
    return true
  }
}

/// A digest of what a transaction of the store has, apart from values and bitmaps.
struct AppleDigest {
  let header: Int64
  private var hash = SHA256()

  init(_ transaction: AppleTransaction) {
    var bytes: [UInt8] = []
    transaction.time.appendSpelling(to: &bytes)
    for text in [transaction.author, transaction.process, transaction.bundle] {
      bytes.append(text == nil ? 0 : 1)
      bytes += Array((text ?? "").utf8) + [0]
    }
    header = Self.number(SHA256.digest(of: bytes))
  }

  mutating func add(_ change: AppleChange, in model: AppleModel) {
    var bytes: [UInt8] = []
    let entity = change.entity.map { model.entities[$0].name } ?? ""
    bytes += "\(change.kind?.rawValue ?? -1) \(change.id) \(entity)".utf8
    for value in change.tombstone {
      bytes += [0] + Array(value.attribute.utf8) + [0]
      value.value.appendSpelling(to: &bytes)
    }
    bytes.append(10)
    hash.update(bytes)
  }

  var changes: Int64 { Self.number(hash.finish()) }

  private static func number(_ digest: Digest) -> Int64 {
    Int64(bitPattern: digest.bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }
}
