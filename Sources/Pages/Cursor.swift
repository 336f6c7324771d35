/// Reads the rows of a table or an index in the order of their keys, one at a time.
///
/// A table without row IDs is stored like an index: its records begin with the columns of the
/// primary key. The bytes of values are valid until the next row.
package struct Cursor: ~Copyable {
  /// The largest record with overflow pages that is kept in memory.
  package static let largestRecord = 16 << 20

  private let view: DatabaseView
  private var walk: TreeWalk
  private var cell: Cell
  private var header = RecordHeader()
  private var hasHeader = false
  private lazy var overflow = OverflowReader(view)
  private var record = PageBuffer(count: 512)
  private var hasRecord = false

  /// Starts before the first row of the b-tree with a root page.
  package init(_ view: DatabaseView, root: UInt32) throws(PageError) {
    self.view = view
    walk = try TreeWalk(view, root: root)
    cell = Cell(
      page: root,
      rowID: 0,
      payloadCount: 0,
      local: UnsafeRawBufferPointer(start: nil, count: 0),
      overflow: 0,
      overflowPageCount: 0
    )
  }

  /// Moves to the next row; returns false after the last one.
  package mutating func next() throws(PageError) -> Bool {
    hasHeader = false
    hasRecord = false
    return try walk.next(&cell)
  }

  /// The key of a row in a table; zero in an index.
  package var rowID: Int64 { cell.rowID }

  /// The page with the row.
  package var page: UInt32 { cell.page }

  /// The number of bytes of the row's record.
  package var recordCount: Int { cell.payloadCount }

  /// The types and places of the row's values, which do not require overflow pages.
  ///
  /// A row has no values for columns that were added to its table later.
  package var fields: [Field] {
    mutating get throws(PageError) {
      if !hasHeader { try readHeader() }
      return header.fields
    }
  }

  /// The value of a column, from zero; nil if the row has fewer values.
  ///
  /// - Throws: ``PageError/Code/tooLarge`` for a text or a blob in a record larger than
  ///   ``largestRecord``, unless the row's page has all bytes of the value.
  package mutating func value(at column: Int) throws(PageError) -> StoredValue? {
    if !hasHeader { try readHeader() }
    guard column < header.fields.count else { return nil }
    let field = header.fields[column]
    let end = field.offset + field.count
    if end <= cell.local.count, let start = cell.local.baseAddress {
      return field.value(at: start + field.offset)
    }
    if hasRecord || cell.payloadCount <= Self.largestRecord {
      return field.value(at: try wholeRecord() + field.offset)
    }
    guard field.type < 12 else {
      throw PageError(.tooLarge, page: cell.page, "a value has \(field.count) bytes")
    }
    return field.value(at: try part(field.offset..<end))
  }

  /// Calls the closure with the bytes of a text or blob, in one or more parts.
  ///
  /// The parts need no memory, so the value may have any size.
  package mutating func forEachPart(
    of field: Field,
    _ body: (UnsafeRawBufferPointer) throws(PageError) -> Void
  ) throws(PageError) {
    try overflow.forEachPart(of: cell, field.offset..<field.offset + field.count, body)
  }

  /// Calls the closure with the bytes of the whole record, in one or more parts.
  package mutating func forEachPart(
    _ body: (UnsafeRawBufferPointer) throws(PageError) -> Void
  ) throws(PageError) {
    try overflow.forEachPart(of: cell, 0..<cell.payloadCount, body)
  }

  private mutating func readHeader() throws(PageError) {
    let count = try RecordHeader.count(of: cell)
    if count <= cell.local.count, let start = cell.local.baseAddress {
      try header.read(start, count: count, of: cell)
    } else {
      try header.read(try part(0..<count), count: count, of: cell)
    }
    hasHeader = true
  }

  /// The address of the whole record, which is read once.
  private mutating func wholeRecord() throws(PageError) -> UnsafeRawPointer {
    if hasRecord { return record.start }
    let start = try part(0..<cell.payloadCount)
    hasRecord = true
    return start
  }

  /// The address of a range of the record, which is valid until the next call.
  private mutating func part(_ range: Range<Int>) throws(PageError) -> UnsafeRawPointer {
    // The room is used again for other rows.
    if record.page.count < range.count { record = PageBuffer(count: range.count) }
    var rest = record.page
    try overflow.forEachPart(of: cell, range) {
      rest.copyMemory(from: $0)
      rest = UnsafeMutableRawBufferPointer(rebasing: rest[$0.count...])
    }
    return record.start
  }
}
