@testable import Format
@testable import Store

/// The objects of the sample schema, written by the names of their properties.
struct SampleWriter {
  let writer: Writer

  init(_ writer: Writer) { self.writer = writer }

  func trip(_ id: Int64) -> SampleTrip { SampleTrip(writer: writer, id: id) }
  func item(_ id: Int64) -> SampleItem { SampleItem(writer: writer, id: id) }
  func person(_ id: Int64) -> SamplePerson { SamplePerson(writer: writer, id: id) }
  func tag(_ id: Int64) -> SampleTag { SampleTag(writer: writer, id: id) }
}

extension Store {
  /// Saves what `body` writes, in one transaction.
  func save(_ body: (SampleWriter) throws -> Void) throws {
    try write(Author()) { try body(SampleWriter($0)) }
  }
}

/// One object of the sample schema, which may not exist yet.
protocol SampleObject {
  static var entity: EntityIndex { get }
  var writer: Writer { get }
  var id: Int64 { get }
}

extension SampleObject {
  func insert(_ values: [Value]) throws {
    try writer.insert(Self.entity, id: id, values: values)
  }

  func set(_ column: ColumnIndex, _ value: Value) throws {
    try writer.update(Self.entity, id: id, columns: [column], values: [value])
  }

  func delete() throws { try writer.delete(Self.entity, id: id) }
}

struct SampleTrip: SampleObject {
  static let entity = trip
  let writer: Writer
  let id: Int64

  func insert(name: String, leader: Int64? = nil) throws {
    try insert(tripValues(name, leader: leader))
  }

  func set(name: String) throws { try set(0, .text(name)) }
  func set(leader: Int64?) throws { try set(3, leader.map { .integer($0) } ?? .null) }

  func link(tag: Int64) throws {
    try writer.link(Self.entity, relationship: "tags", source: id, target: tag)
  }

  func unlink(tag: Int64) throws {
    try writer.unlink(Self.entity, relationship: "tags", source: id, target: tag)
  }

  /// The change that renames the trip, for a writer that gets several at once.
  func renaming(to name: String) -> RowChange {
    RowChange(entity: Self.entity, id: id, columns: [0], values: [.text(name)])
  }
}

struct SampleItem: SampleObject {
  static let entity = item
  let writer: Writer
  let id: Int64

  func insert(title: String, trip: Int64? = nil) throws {
    try insert(itemValues(title, trip: trip))
  }
}

struct SamplePerson: SampleObject {
  static let entity = person
  let writer: Writer
  let id: Int64

  func insert(name: String) throws { try insert([.text(name)]) }

  /// The current name in the row; nil if there is no row.
  func name() throws -> String? {
    let key = RowKey(entity: Self.entity, id: ObjectID(id))
    guard case .text(let name)? = try writer.current(key)?[0] else {
      return nil
    }
    return name
  }
}

struct SampleTag: SampleObject {
  static let entity = tag
  let writer: Writer
  let id: Int64

  func insert(word: String) throws { try insert([.text(word)]) }

  func link(trip: Int64) throws {
    try writer.link(Self.entity, relationship: "trips", source: id, target: trip)
  }
}
