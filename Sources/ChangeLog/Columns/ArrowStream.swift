/// Writes columns as a stream of Apache Arrow, batch by batch.
struct ArrowStream {
  let columns: [(name: String, column: any ArrowColumn)]

  /// Writes the message that describes the columns, with which a stream begins.
  func writeSchema(_ write: (UnsafeRawBufferPointer) throws -> Void) throws {
    let fields = columns.map { field($0.name, isNullable: true, $0.column) }
    try writeMessage(kind: 1, .table([.short(0), .tables(fields)]), bodySize: 0, write)
  }

  /// Writes the rows that the columns have, and empties the columns.
  func writeBatch(_ write: (UnsafeRawBufferPointer) throws -> Void) throws {
    guard let rows = columns.first?.column.count, rows > 0 else { return }
    var nodes: [(Int64, Int64)] = []
    var buffers: [(Int64, Int64)] = []
    var size = 0
    for (_, column) in columns {
      visit(column) { column in
        nodes.append((Int64(column.count), Int64(column.nulls)))
        column.withBuffers { buffer in
          buffers.append((Int64(size), Int64(buffer.count)))
          size += padded(buffer.count)
        }
      }
    }
    try writeMessage(
      kind: 3,
      .table([.long(Int64(rows)), .pairs(nodes), .pairs(buffers)]),
      bodySize: size,
      write
    )
    for (_, column) in columns {
      try visit(column) { column in
        try column.withBuffers { buffer in
          try write(buffer)
          try writeZeros(padded(buffer.count) - buffer.count, write)
        }
      }
      column.removeAll()
    }
  }

  /// Writes the end of the stream.
  func writeEnd(_ write: (UnsafeRawBufferPointer) throws -> Void) throws {
    try withUnsafeBytes(of: (Int32(-1), Int32(0)), write)
  }

  private func field(_ name: String, isNullable: Bool, _ column: any ArrowColumn) -> FlatValue {
    let children = column.children.map { field($0.name, isNullable: $0.isNullable, $0.column) }
    return .table([
      .text(name), .byte(isNullable ? 1 : 0), .byte(column.type.number),
      .table(column.type.description), nil, .tables(children),
    ])
  }

  private func visit(
    _ column: any ArrowColumn,
    _ body: (any ArrowColumn) throws -> Void
  ) rethrows {
    try body(column)
    for child in column.children { try visit(child.column, body) }
  }

  private func writeMessage(
    kind: UInt8,
    _ header: FlatValue,
    bodySize: Int,
    _ write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    // 4 is the number of the fifth version of the format.
    let message = flatBuffer(.table([.short(4), .byte(kind), header, .long(Int64(bodySize))]))
    try withUnsafeBytes(of: (Int32(-1), Int32(message.count).littleEndian), write)
    try message.withUnsafeBytes(write)
  }

  /// Each buffer begins at a multiple of eight bytes.
  private func padded(_ size: Int) -> Int { (size + 7) & ~7 }

  private func writeZeros(
    _ count: Int,
    _ write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try withUnsafeBytes(of: Int64(0)) { zeros in
      try write(UnsafeRawBufferPointer(rebasing: zeros[..<count]))
    }
  }
}
