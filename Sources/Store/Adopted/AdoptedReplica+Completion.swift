import Adoption
import Format
import SQLite

/// The parts of a replica that its program needs, but that a replay does not write row by row.
extension AdoptedReplica {
  /// Creates the indexes that the replica lacks because rows violated them.
  ///
  /// - Returns: The unique indexes that the replica still lacks, because its rows violate them.
  static func createMissingIndexes(
    _ schema: StoreSchema,
    on connection: Connection
  ) throws -> [String] {
    let missing = try (schema.adopted ?? []).filter { object in
      try object.type == "index"
        && !connection.hasRow(
          "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND name = ?1",
          values: [.text(object.name)]
        )
    }
    return try create(missing, on: connection)
  }

  /// Drops the unique indexes of a table, because rows of the origin violate one of them.
  ///
  /// SQLite does not allow dropping the index of a UNIQUE constraint in a table's definition.
  ///
  /// - Returns: Whether there was such an index.
  static func dropUniqueIndexes(of table: String, on connection: Connection) throws -> Bool {
    let names = try connection.all(
      "SELECT name FROM pragma_index_list(?1) WHERE \"unique\" AND origin = 'c'",
      values: [.text(table)]
    ) { $0.string(at: 0) }
    for name in names { try connection.execute("DROP INDEX \(quoted(name))") }
    return !names.isEmpty
  }

  // MARK: Guards

  /// Creates the triggers that refuse all writes to the replica, except those of a replay.
  ///
  /// A program that is started with a replica by mistake would otherwise write rows that no history
  /// has. The connections of a replay run no triggers.
  static func installGuards(_ schema: StoreSchema, on connection: Connection) throws {
    guard let names = AdoptedFile.names(on: connection) else { return }
    let events = ["insert", "update", "delete"]
    let wanted = schema.entities.enumerated().flatMap { number, entity in
      events.map { (name: "\(names.prefix)guard_\($0)_\(number)", event: $0, table: entity.name) }
    }
    let found = try AdoptedFile.ours(names, on: connection).filter { $0.type == "trigger" }
    let isInstalled =
      found.count == wanted.count
      && Set(found.map { "\($0.name) \($0.table)" }) == Set(wanted.map { "\($0.name) \($0.table)" })
    guard !isInstalled else { return }
    for trigger in found { try connection.execute("DROP TRIGGER \(quoted(trigger.name))") }
    for guardian in wanted {
      try connection.execute(
        """
        CREATE TRIGGER \(guardian.name) BEFORE \(guardian.event) ON \(quoted(guardian.table)) BEGIN
          SELECT RAISE(ABORT, 'this is a replica: run travelog promote');
        END
        """
      )
    }
  }

  // MARK: The header and the sequences

  /// Writes the numbers that the program keeps in the header of its file, and the highest ids that
  /// were ever given to rows.
  static func setHeader(_ schema: StoreSchema, on connection: Connection) throws {
    try connection.execute("PRAGMA user_version = \(schema.userVersion ?? 0)")
    let application = schema.applicationID ?? 0
    // A forged log can contain the number of the library's own stores.
    if application != Catalog.applicationID {
      try connection.execute("PRAGMA application_id = \(application)")
    }
    try raise(schema.sequences ?? [], of: schema, on: connection)
  }

  /// Ensures that SQLite gives no row of an AUTOINCREMENT table an id that an earlier row had.
  static func raise(
    _ sequences: [TableSequence],
    of schema: StoreSchema,
    on connection: Connection
  ) throws {
    guard !sequences.isEmpty, try hasSequences(connection) else { return }
    for sequence in sequences where schema[sequence.table] != nil {
      let values: [Value] = [.text(sequence.table), .integer(sequence.last)]
      try connection.run(
        "UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1",
        values: values
      )
      try connection.run(
        "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, ?2"
          + " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
        values: values
      )
    }
  }
}
