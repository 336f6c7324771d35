/// A value of a FlatBuffers message, in which Apache Arrow describes its columns.
///
/// The fields of a table are in the order of the table's definition; a field that is nil has its
/// default value.
indirect enum FlatValue {
  case byte(UInt8)
  case short(Int16)
  case int(Int32)
  case long(Int64)
  case text(String)
  case table([FlatValue?])
  case tables([FlatValue])
  /// A list of structs that have two 64-bit integers.
  case pairs([(Int64, Int64)])

  /// The size of the value in its table, which is also its alignment.
  fileprivate var size: Int {
    switch self {
    case .byte: 1
    case .short: 2
    case .int, .text, .table, .tables, .pairs: 4
    case .long: 8
    }
  }
}

/// The bytes of a message whose root is a table.
func flatBuffer(_ root: FlatValue) -> [UInt8] {
  var buffer = FlatBuffer()
  buffer.append(Int32(0))
  buffer.refer(from: 0, to: root)
  buffer.align(8)
  return buffer.bytes
}

private struct FlatBuffer {
  var bytes: [UInt8] = []

  mutating func align(_ size: Int, before next: Int = 0) {
    while (bytes.count + next) % size != 0 { bytes.append(0) }
  }

  mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private mutating func set(_ value: some FixedWidthInteger, at place: Int) {
    withUnsafeBytes(of: value.littleEndian) { source in
      for (index, byte) in source.enumerated() { bytes[place + index] = byte }
    }
  }

  /// Appends a value, and writes its distance from `place` at `place`.
  mutating func refer(from place: Int, to value: FlatValue) {
    let start: Int
    switch value {
    case .table(let fields):
      start = append(fields)
    case .tables(let tables):
      align(4)
      start = bytes.count
      append(Int32(tables.count))
      for _ in tables { append(Int32(0)) }
      for (index, table) in tables.enumerated() { refer(from: start + 4 + 4 * index, to: table) }
    case .pairs(let pairs):
      align(8, before: 4)
      start = bytes.count
      append(Int32(pairs.count))
      for pair in pairs {
        append(pair.0)
        append(pair.1)
      }
    case .text(let text):
      align(4)
      start = bytes.count
      append(Int32(text.utf8.count))
      bytes.append(contentsOf: text.utf8)
      bytes.append(0)
    case .byte, .short, .int, .long:
      preconditionFailure("a number is a part of its table")
    }
    set(Int32(start - place), at: place)
  }

  /// Appends a table, and returns its position.
  private mutating func append(_ fields: [FlatValue?]) -> Int {
    var offsets: [Int] = []
    var size = 4
    for field in fields {
      guard let field else {
        offsets.append(0)
        continue
      }
      size = (size + field.size - 1) / field.size * field.size
      offsets.append(size)
      size += field.size
    }
    let description = 4 + 2 * fields.count
    align(8, before: description)
    let begin = bytes.count
    append(Int16(description))
    append(Int16(size))
    for offset in offsets { append(Int16(offset)) }
    let start = bytes.count
    append(Int32(start - begin))
    bytes.append(contentsOf: repeatElement(0, count: size - 4))
    for (field, offset) in zip(fields, offsets) {
      switch field {
      case nil: break
      case .byte(let value): set(value, at: start + offset)
      case .short(let value): set(value, at: start + offset)
      case .int(let value): set(value, at: start + offset)
      case .long(let value): set(value, at: start + offset)
      case .some(let value): refer(from: start + offset, to: value)
      }
    }
    return start
  }
}
