import Format

/// The changes of objects in the open transaction so far.
struct Touches {
  /// The objects in memory, by entity.
  private var tables: [TouchTable]
  /// The objects that a very large transaction changed earlier; nil for a smaller transaction.
  private var file: TouchFile?
  /// The first change whose object is in memory.
  ///
  /// Objects of earlier changes are in memory only if they were changed again.
  private var firstInMemory: Int64 = 0
  /// The maximum number of changed objects in memory.
  ///
  /// Further objects are moved to a temporary file.
  ///
  /// Tests set a lower maximum.
  @TaskLocal static var usualRoom: Int64 = 1 << 17
  private let room = Touches.usualRoom

  init(entities: Int) { tables = Array(repeating: TouchTable(), count: entities) }

  /// Starts a transaction, given the row of its first change.
  mutating func begin(at row: Int64) { firstInMemory = row }

  mutating func removeAll() {
    removeFile()
    for entity in tables.indices { tables[entity].removeAll() }
  }

  /// Deletes the temporary file, so that its disk space is free before the next transaction.
  mutating func removeFile() { file = nil }

  /// The change of an object; nil if it has none.
  @inline(__always)
  func touch(_ key: RowKey) throws -> Touch? {
    if let touch = tables[key.entity][key.id] { return touch }
    guard let file, !tables[key.entity].isRemoved(key.id) else { return nil }
    return try file.touch(key)
  }

  @inline(__always)
  mutating func set(_ touch: Touch, of key: RowKey) { tables[key.entity][key.id] = touch }

  mutating func remove(_ key: RowKey) {
    if file == nil {
      tables[key.entity][key.id] = nil
    } else {
      tables[key.entity].remove(key.id)
    }
  }

  /// Moves all objects to a file if memory contains too many.
  ///
  /// `row` is the row of the next change.
  @inline(__always)
  mutating func makeRoom(before row: Int64) throws {
    if row - firstInMemory >= room { try putAside(before: row) }
  }

  private mutating func putAside(before row: Int64) throws {
    let file = try file ?? TouchFile(entities: tables.count)
    for index in tables.indices { try file.take(&tables[index], entity: EntityIndex(index)) }
    self.file = file
    firstInMemory = row
  }
}
