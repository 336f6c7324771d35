import AppleStores
import Format
import FoundationEssentials
import SQLite

/// Writes transactions of a store of Apple's frameworks to the rows and the history of a history file.
///
/// A value that nobody recorded is unknown.
final class AppleRecording {
  private let writer: Writer
  private let rows: ReplayRows
  private let format: ChangeFormat
  private let unknown: UnknownValues
  private let single = PreparedChanges()
  private var text = ChangeText()
  /// The objects that the open transaction changed.
  private var touched: Set<RowKey> = []
  /// The objects whose values can differ from the rows, because a change of them can't be read.
  private var uncertain: Set<RowKey> = []
  /// The number of changes in the open transaction.
  private(set) var sequence: Int64 = 0
  /// The digest of the schema.
  let schema: String

  init(_ writer: Writer) throws {
    self.writer = writer
    format = try ChangeFormat(writer.schema)
    rows = ReplayRows(writer, decoders: format.decoders)
    unknown = UnknownValues(writer.connection, layouts: writer.layouts)
    schema = SHA256.digest(of: Array(try writer.schema.json().utf8)).description
    let blobs = writer.blobs
    rows.values.content = { try blobs.content($0) }
  }

  func begin() throws { try rows.begin() }

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
    try finishRows()
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
  func record(
    _ operation: TransactionOperation,
    details: AppleDetails,
    _ body: () throws -> Void
  ) throws {
    try beginTransaction()
    try body()
    guard sequence > 0 else { return writer.recorder.forget() }
    try finishRows()
    try writer.recorder.close(
      Author(process: ""),
      operation: operation,
      details: details.json
    )
  }

  private func beginTransaction() throws {
    try writer.recorder.begin()
    rows.transaction = writer.recorder.transaction
    rows.forgetDifferences()
    touched.removeAll(keepingCapacity: true)
    sequence = 0
  }

  private func finishRows() throws {
    try rows.finish()
    let differences = rows.differences
    guard differences.isEmpty else {
      throw StoreError(.replayMismatch, at: writer.connection.path, items: differences) {
        "The history of the store contradicts itself:\(items: differences)"
          + "\nThe history file keeps what was read before."
      }
    }
    try writer.putParkedRowsBack()
  }

  // MARK: Changes

  /// Notes that a transaction changes an object; false if it changed the object before.
  func isFirst(_ key: RowKey) -> Bool { touched.insert(key).inserted }

  /// Notes that a change of an object can't be read.
  func noteUncertain(_ key: RowKey) { uncertain.insert(key) }

  /// Notes that the rows were compared with those of the store.
  func noteCertain() { uncertain.removeAll() }

  func insert(
    _ key: RowKey,
    _ place: AppleObjects.Place,
    _ objects: AppleObjects,
    value: (AppleObjects.Property) throws -> EncodedValue?
  ) throws {
    for column in 0..<place.count {
      let known = try value(place.place(column))
      if column >= place.columnCount, known?.json.elementsEqual("[]".utf8) == true { continue }
      text.after.append(propertyKey(column, place), value: known ?? .unknown)
    }
    try write(.insert, key)
  }

  func update(
    _ key: RowKey,
    _ place: AppleObjects.Place,
    _ columns: ColumnSet,
    present: [Value]?,
    after: (Int) throws -> EncodedValue?
  ) throws {
    let known = try knownColumns(key, place, present)
    for column in 0..<place.count where columns.contains(column) {
      let name = propertyKey(column, place)
      let before = try known.contains(column) ? self.before(column, key, place, present) : nil
      let after = try after(column)
      text.appendChanged(name)
      text.before.append(name, value: before ?? .unknown)
      text.after.append(name, value: after ?? .unknown)
    }
    if text.changed.isEmpty { text.changed.append(UInt8(ascii: "[")) }
    try write(.update, key)
  }

  /// Deletes an object, of which history kept some values.
  func delete(
    _ key: RowKey,
    _ place: AppleObjects.Place,
    present: [Value]?,
    kept: [Int: EncodedValue]
  ) throws {
    let known = try knownColumns(key, place, present)
    for column in 0..<place.count {
      let found = try known.contains(column) ? before(column, key, place, present) : nil
      let value = kept[column] ?? found
      if column >= place.columnCount, value?.json.elementsEqual("[]".utf8) == true { continue }
      text.before.append(propertyKey(column, place), value: value ?? .unknown)
    }
    try write(.delete, key)
    uncertain.remove(key)
  }

  /// The columns of an object whose values the rows of the history file have.
  private func knownColumns(
    _ key: RowKey,
    _ place: AppleObjects.Place,
    _ present: [Value]?
  ) throws -> ColumnSet {
    guard present != nil, !uncertain.contains(key) else { return ColumnSet(count: place.count) }
    var result = ColumnSet(count: place.count, isFull: true)
    guard try !unknown.isEmpty else { return result }
    let names = try unknown.properties(of: key)
    guard !names.isEmpty else { return result }
    var missing = ColumnSet(count: place.count)
    for name in names {
      if let column = place.columns[name] { missing.insert(column) }
    }
    // The links of such an object are not known either.
    for column in place.columnCount..<max(place.count, place.columnCount) { missing.insert(column) }
    result = result.subtracting(missing)
    return result
  }

  private func before(
    _ column: Int,
    _ key: RowKey,
    _ place: AppleObjects.Place,
    _ present: [Value]?
  ) throws -> EncodedValue? {
    if column >= place.columnCount { return nil }
    guard let present else { return nil }
    let encoder = writer.recorder.encoders[place.entity]
    return try encoder.encoded(
      present[column],
      at: ColumnIndex(column),
      blobs: writer.blobs
    )
  }

  private func propertyKey(_ column: Int, _ place: AppleObjects.Place) -> [UInt8] {
    column < place.columnCount
      ? Array(writer.recorder.encoders[place.entity].key(ColumnIndex(column)))
      : writer.recorder.links[place.joins[column - place.columnCount]].key
  }

  /// Writes a difference of a row, whose text the closure completes.
  func write(
    _ kind: ChangeKind,
    _ key: RowKey,
    _ build: (inout ChangeText) throws -> Void
  ) throws {
    try build(&text)
    try write(kind, key)
  }

  private func write(_ kind: ChangeKind, _ key: RowKey) throws {
    defer { text.removeAll() }
    let transaction = writer.recorder.transaction
    try text.withChange(
      kind,
      sequence: sequence,
      entity: writer.recorder.encoders[key.entity].name,
      id: key.id
    ) { change in
      single.removeAll()
      try single.append(change, format: format)
      if let refusal = single.refusals[0] {
        throw StoreError(.damaged, at: writer.connection.path) {
          "A change of \(ObjectName(writer.layouts[key.entity].entity.name, id: key.id)) can't be"
            + " recorded: \(refusal.message)."
        }
      }
      try rows.values.keep(change)
      try rows.write(single.parts[0], changes: single)
      try writer.recorder.copy(change, of: transaction)
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
