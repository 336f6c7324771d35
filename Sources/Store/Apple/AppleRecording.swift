import AppleStores
import Format
import FoundationEssentials
import SQLite

/// Writes transactions of a store of Apple's frameworks to the history of a history file.
///
/// A value that nobody recorded is unknown. The rows stay those before the reading, so that they
/// have the values before the first change of each property; ``AppleComparison`` writes them at the
/// end.
final class AppleRecording {
  private let writer: Writer
  private let values: ChangeValues
  private let unknown: UnknownValues
  private var hasUnknown = false
  // The closures that append values use no text of this class.
  @exclusivity(unchecked) private var text = ChangeText()
  /// The objects that the open transaction changed.
  private var touched: Set<RowKey> = []
  /// The number of changes in the open transaction.
  private(set) var sequence: Int64 = 0
  /// The digest of the schema.
  let schema: String

  init(_ writer: Writer) throws {
    self.writer = writer
    let blobs = writer.blobs
    values = try ChangeValues(decoders: ChangeFormat(writer.schema).decoders, blobs: blobs) {
      try blobs.content($0)
    }
    unknown = UnknownValues(writer.connection, layouts: writer.layouts)
    schema = SHA256.digest(of: Array(try writer.schema.json().utf8)).description
  }

  func begin() throws { hasUnknown = try !unknown.isEmpty }

  // MARK: Transactions

  /// Records a transaction of the store, with any number of changes.
  func record(
    _ transaction: AppleTransaction,
    schema: String,
    _ body: (inout AppleDetails) throws -> Void
  ) throws {
    var details = AppleDetails(transaction)
    try beginTransaction()
    try body(&details)
    try writer.recorder.close(
      Transaction(
        id: writer.recorder.transaction,
        time: transaction.timeText,
        author: transaction.author,
        process: transaction.process ?? "",
        bundle: transaction.bundle,
        schema: schema,
        count: sequence,
        seed: sequence > 0 ? .random() : nil,
        details: details.json
      )
    )
  }

  /// Records what no transaction of the store explains, unless there is nothing.
  ///
  /// The closure returns the details of what it wrote.
  func record(_ operation: TransactionOperation, _ body: () throws -> AppleDetails) throws {
    try beginTransaction()
    let details = try body()
    try writer.putParkedRowsBack()
    guard sequence > 0 else { return writer.recorder.forget() }
    try writer.recorder.close(Author(process: ""), operation: operation, details: details.json)
  }

  private func beginTransaction() throws {
    try writer.recorder.begin()
    touched.removeAll(keepingCapacity: true)
    sequence = 0
  }

  // MARK: Changes

  /// Notes that a transaction changes an object; false if it changed the object before.
  func isFirst(_ key: RowKey) -> Bool { touched.insert(key).inserted }

  /// Appends the value of a column or list to a side of a change; false if it is not known.
  typealias Appending = (_ column: Int, _ side: inout ChangeSide) throws -> Bool

  /// Inserts an object; the closure appends nothing for an empty list.
  func insert(_ key: RowKey, _ place: AppleObjects.Place, after: Appending) throws {
    for column in 0..<place.count where try !after(column, &text.after) {
      text.after.append(place.keys[column], value: .unknown)
    }
    try write(.insert, key)
  }

  /// Updates an object; some of its columns can still have the values of its present row.
  func update(
    _ key: RowKey,
    _ place: AppleObjects.Place,
    _ columns: ColumnSet,
    present: (row: [Value], known: ColumnSet)?,
    after: Appending
  ) throws {
    for column in 0..<place.count where columns.contains(column) {
      let name = place.keys[column]
      text.appendChanged(name)
      if try !appendPresent(column, key, place, present) {
        text.before.append(name, value: .unknown)
      }
      if try !after(column, &text.after) { text.after.append(name, value: .unknown) }
    }
    if text.changed.isEmpty { text.changed.append(UInt8(ascii: "[")) }
    try write(.update, key)
  }

  /// Deletes an object, of which history kept some values.
  func delete(
    _ key: RowKey,
    _ place: AppleObjects.Place,
    present: (row: [Value], known: ColumnSet)?,
    kept: [Int: EncodedValue]
  ) throws {
    for column in 0..<place.count {
      if let value = kept[column] {
        if column >= place.columnCount, value.json.elementsEqual("[]".utf8) { continue }
        text.before.append(place.keys[column], value: value)
      } else if try !appendPresent(column, key, place, present) {
        text.before.append(place.keys[column], value: .unknown)
      }
    }
    try write(.delete, key)
  }

  /// The columns that are not known to have other values than a row, because they are unknown.
  func known(_ columns: ColumnSet, of key: RowKey, _ place: AppleObjects.Place) throws -> ColumnSet
  {
    guard hasUnknown else { return columns }
    var missing = ColumnSet(count: place.count)
    for name in try unknown.properties(of: key) {
      if let column = place.columns[name] { missing.insert(column) }
    }
    return columns.subtracting(missing)
  }

  /// Appends the value of a row before a change; false if it is not known.
  ///
  /// The links are never known.
  private func appendPresent(
    _ column: Int,
    _ key: RowKey,
    _ place: AppleObjects.Place,
    _ present: (row: [Value], known: ColumnSet)?
  ) throws -> Bool {
    guard let present, column < place.columnCount, present.known.contains(column) else {
      return false
    }
    try text.before.append(
      present.row[column],
      at: ColumnIndex(column),
      encoder: writer.recorder.encoders[place.entity],
      blobs: writer.blobs
    )
    return true
  }

  /// Appends a property to the update that is written next.
  func append(_ name: [UInt8], before: EncodedValue, after: EncodedValue) {
    text.appendChanged(name)
    text.before.append(name, value: before)
    text.after.append(name, value: after)
  }

  func write(_ kind: ChangeKind, _ key: RowKey) throws {
    defer { text.removeAll() }
    try text.withChange(
      kind,
      sequence: sequence,
      entity: writer.recorder.encoders[key.entity].name,
      id: key.id
    ) { change in
      try values.keep(change)
      try writer.recorder.copy(change, of: writer.recorder.transaction)
    }
    sequence += 1
  }
}

extension AppleTransaction {
  /// The time in the form of history; the beginning of Apple's time if the file has no number.
  fileprivate var timeText: String {
    switch time {
    case .real(let seconds) where seconds.isFinite:
      Format.timeText(Date(timeIntervalSinceReferenceDate: seconds))
    case .integer(let seconds):
      Format.timeText(Date(timeIntervalSinceReferenceDate: Double(seconds)))
    default: Format.timeText(Date(timeIntervalSinceReferenceDate: 0))
    }
  }
}
