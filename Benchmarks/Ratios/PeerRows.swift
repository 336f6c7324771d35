import CBenchmarkPeer
import ChangeLog
import Format
import Foundation
import Store

/// The rows that logs contain, for a peer that only writes them.
struct PeerRows {
  private let rows: OpaquePointer
  private var statements: [String: Int32] = [:]
  private var nextChange: Int64 = 1
  private let hasHistory: Bool

  /// Reads logs; without history it keeps only the rows of objects and links.
  init(logs: [String], hasHistory: Bool) throws {
    guard let rows = peer_rows_new() else {
      throw WrongResult(description: "There is no memory for the rows of the peer.")
    }
    self.rows = rows
    self.hasHistory = hasHistory
    for log in logs { try read(log) }
  }

  func free() { peer_rows_free(rows) }

  func write(to store: String) throws {
    guard peer_rows_write(rows, store, 100_000) == 0 else {
      throw WrongResult(description: "The peer could not write its rows.")
    }
  }

  /// The operations as changesets, recorded in a store; nil if the library has no sessions.
  func changesets(recordedIn store: String) -> OpaquePointer? {
    peer_changesets_record(rows, store)
  }

  private mutating func read(_ log: String) throws {
    let reader = try LogReader(path: log)
    let schema = reader.header.schema
    let layouts = try schema.layouts()
    let names = Dictionary(uniqueKeysWithValues: layouts.map { ($0.entity.name, $0) })
    let first = nextChange
    var begin = first
    while let transaction = try reader.next({ change, id, _ in
      guard let layout = names[String(decoding: change.entity, as: UTF8.self)] else { return }
      try append(change, layout, id)
    }) {
      if hasHistory { append(transaction, firstChange: begin) }
      begin = nextChange
      peer_rows_end_transaction(rows)
    }
  }

  private mutating func begin(_ sql: String) {
    let statement = statements[sql] ?? peer_rows_statement(rows, sql)
    statements[sql] = statement
    peer_rows_begin(rows, statement)
  }

  private func append(_ value: Value) {
    switch value {
    case .null: peer_rows_null(rows)
    case .integer(let number): peer_rows_integer(rows, number)
    case .real(let number): peer_rows_real(rows, number)
    case .text(let text): append(Array(text.utf8), isText: true)
    case .blob(let data): append(Array(data), isText: false)
    case .brokenText(let data): append(Array(data), isText: true)
    }
  }

  private func append(_ bytes: [UInt8], isText: Bool) {
    peer_rows_bytes(rows, bytes, Int64(bytes.count), isText ? 1 : 0)
  }

  private func append(json: UnsafeRawBufferPointer) {
    if json.isEmpty { peer_rows_null(rows) } else { append(Array(json), isText: true) }
  }

  private mutating func append(_ transaction: Transaction, firstChange: Int64) {
    begin(
      """
      INSERT INTO history_transaction (id, time, author, process, process_id, host, bundle, schema,
        first_change, changes, seed, op, details, digest)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8, ?9, ?10, ?11, ?12, ?13)
      """
    )
    append(.integer(transaction.id))
    append(.text(transaction.time))
    append(transaction.author.map { .text($0) } ?? .null)
    append(.text(transaction.process))
    append(.integer(transaction.processID))
    append(.text(transaction.host))
    append(transaction.bundle.map { .text($0) } ?? .null)
    append(.integer(firstChange))
    append(.integer(transaction.count))
    append(.blob(Data(transaction.seed?.bytes ?? [])))
    append(.text(transaction.operation.rawValue))
    append(transaction.details.map { .text($0) } ?? .null)
    append(.blob(Data(transaction.digest?.bytes ?? [])))
  }

  private mutating func append(
    _ change: Change,
    _ layout: EntityLayout,
    _ transaction: Int64
  ) throws {
    if hasHistory {
      begin(
        """
        INSERT INTO history_change (id, transaction_id, sequence, kind, entity, object, changed,
          before, after, special, large) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        """
      )
      append(.integer(nextChange))
      append(.integer(transaction))
      append(.integer(change.sequence))
      append(.text(change.kind.rawValue))
      append(.text(layout.entity.name))
      append(.integer(change.object))
      for json in [change.changed, change.before, change.after, change.special, change.large] {
        append(json: json)
      }
    }
    nextChange += 1
    try appendRow(change, layout)
    for relationship in layout.entity.relationships {
      try appendLinks(relationship, change, layout)
    }
    if change.kind == .delete {
      begin("DELETE FROM \(layout.table) WHERE id = ?1")
      append(.integer(change.object))
    }
  }

  private mutating func appendRow(_ change: Change, _ layout: EntityLayout) throws {
    guard change.kind != .delete else { return }
    let special = try notes(change.special)
    var columns: [(name: String, value: Value)] = []
    for member in CanonicalText(change.after).members {
      let name = try text(member.key.dropLast())
      guard let column = layout.columns.first(where: { $0.logName == name }) else { continue }
      columns.append((column.quoted, try value(member.value, special[name], column)))
    }
    if change.kind == .insert {
      let entity =
        layout.sharesTable ? [(name: "_entity", value: Value.text(layout.entity.name))] : []
      let all = [(name: "id", value: Value.integer(change.object))] + entity + columns
      let names = all.map(\.name).joined(separator: ", ")
      let marks = all.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
      begin("INSERT INTO \(layout.table) (\(names)) VALUES (\(marks))")
      for column in all { append(column.value) }
    } else if !columns.isEmpty {
      let settings = columns.enumerated().map { "\($1.name) = ?\($0 + 1)" }
      begin(
        "UPDATE \(layout.table) SET \(settings.joined(separator: ", ")) WHERE id = ?\(columns.count + 1)"
      )
      for column in columns { append(column.value) }
      append(.integer(change.object))
    }
  }

  private func value(
    _ text: [UInt8],
    _ special: String?,
    _ column: EntityLayout.Column
  ) throws -> Value {
    guard let type = column.type else { return id(in: text).map { .integer($0) } ?? .null }
    let value = try text.withUnsafeBytes { bytes in
      try parseCanonical(bytes, special: special.flatMap { SpecialValue(name: $0) }, as: type)
    }
    guard column.isExternal, case .blob(let data) = value, data.count > 128 << 10 else {
      return value
    }
    return .text(SHA256.digest(of: Array(data)).description)
  }

  private mutating func appendLinks(
    _ relationship: Relationship,
    _ change: Change,
    _ layout: EntityLayout
  ) throws {
    guard case .joinTable(let table, let source, let target) = relationship.storage,
      let name = layout.linkNames[relationship.name]
    else { return }
    for (side, sql) in [
      (
        change.before,
        "DELETE FROM \(quoted(table)) WHERE \(quoted(source)) = ?1 AND \(quoted(target)) = ?2"
      ),
      (
        change.after,
        "INSERT INTO \(quoted(table)) (\(quoted(source)), \(quoted(target))) VALUES (?1, ?2)"
      ),
    ] {
      for member in CanonicalText(side).members where try text(member.key.dropLast()) == name {
        for link in CanonicalText(member.value).elements {
          begin(sql)
          append(.integer(change.object))
          append(id(in: link).map { .integer($0) } ?? .null)
        }
      }
    }
  }

  /// The id in `{"entity":"Trip","id":"7"}`.
  private func id(in reference: [UInt8]) -> Int64? {
    CanonicalText(reference).value(of: "id")
      .flatMap { Int64(String(decoding: $0.dropFirst().dropLast(), as: UTF8.self)) }
  }

  /// The names of special values after the change, by property.
  private func notes(_ special: UnsafeRawBufferPointer) throws -> [String: String] {
    var result: [String: String] = [:]
    let after = CanonicalText(special).value(of: "after") ?? []
    for note in CanonicalText(after).members {
      result[try text(note.key.dropLast())] = try text(note.value[...])
    }
    return result
  }

  private func text(_ quoted: ArraySlice<UInt8>) throws -> String {
    guard let text = quoted.withUnsafeBytes({ parseJSONString($0) }) else {
      throw WrongResult(description: "A log has a text that is none.")
    }
    return text
  }
}
