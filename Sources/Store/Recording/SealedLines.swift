import Changes
import SQLite

/// Lines of sealed history from which deletions will erase values when the deletions are sealed.
///
/// A reader sees foreign deletions before they are sealed, with the digests that they will have then.
/// These digests cover what will remain of the lines. A reader can't write, so the lines keep their
/// values.
final class SealedLines {
  private let rows: HistoryRows
  /// The objects whose lines were restated.
  private var objects: Set<[Value]> = []
  /// The transaction of the last line.
  private var last: (transaction: Transaction, digest: Digest)?

  init(_ rows: HistoryRows) { self.rows = rows }

  /// Calls `restate` with what will remain of each line of a deleted object, and with the line's
  /// transaction and its digest.
  ///
  /// The parameters of the SQL condition are the object and the end of the ids; `root` is the root
  /// of the object's family of entities. If an object is deleted again, its lines have no values
  /// any more.
  func erase(
    _ condition: String,
    object: Value,
    of root: EntityIndex,
    restate: (RestatedLine, Transaction, Digest) throws -> Void
  ) throws {
    guard objects.insert([.integer(Int64(root.number)), object]).inserted else { return }
    let reading = try rows.changes(where: condition)
    try reading.bind(1, object)
    try reading.bind(2, Int64.max)
    defer { reading.reset() }
    while try reading.step() {
      let change = try rows.change(at: reading)
      let gone = change.toldValues.filter { !$0.isErased }
      guard !gone.isEmpty else { continue }
      let (transaction, digest) = try transaction(reading.int64(at: 9))
      let salt = try HiddenRow(rows.connection, transaction).salt(of: change)
      let left = change.without(gone) { $0.valuesDigest(salt: salt) }
      try restate(RestatedLine(sequence: change.sequence, values: left), transaction, digest)
    }
  }

  private func transaction(_ id: Int64) throws -> (Transaction, Digest) {
    if let last, last.transaction.id == id { return last }
    guard let transaction = try rows.transaction(id), let digest = try rows.digest(of: id) else {
      throw rows.damaged(.missingTransaction(id))
    }
    last = (transaction, digest)
    return (transaction, digest)
  }
}
