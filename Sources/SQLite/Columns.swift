import CSQLite
import FoundationEssentials
import Glibc

package enum StorageClass: Int32, Hashable, Sendable {
  case integer = 1
  case real = 2
  case text = 3
  case blob = 4
  case null = 5
}

/// The number of the first column is zero. Columns are valid after ``Statement/step()`` returned
/// true.
extension Statement {
  /// The storage class of a column.
  ///
  /// The storage class must be requested before the value is read as another class.
  @inline(__always)
  package func type(at index: Int32) -> StorageClass {
    StorageClass(rawValue: sqlite3_column_type(handle, index)) ?? .null
  }

  /// The value of a column as an integer; SQLite converts a value of another storage class.
  @inline(__always)
  package func int64(at index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

  /// The value of a column as a double; SQLite converts a value of another storage class.
  @inline(__always)
  package func double(at index: Int32) -> Double { sqlite3_column_double(handle, index) }

  @inline(__always)
  package func isNull(at index: Int32) -> Bool {
    sqlite3_column_type(handle, index) == SQLITE_NULL
  }

  /// The value of a column as text.
  ///
  /// Bytes that are not UTF-8 become U+FFFD.
  package func string(at index: Int32) -> String {
    guard let start = sqlite3_column_text(handle, index) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, index))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  package func data(at index: Int32) -> Data {
    let bytes = bytes(at: index)
    guard let start = bytes.baseAddress else { return Data() }
    return Data(bytes: start, count: bytes.count)
  }

  /// Calls the closure with the bytes of a text in UTF-8.
  ///
  /// If the database is in UTF-16, an unpaired surrogate has three bytes.
  package func withText<Result>(
    at index: Int32,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    guard isUTF16 else { return try body(bytes(at: index)) }
    let start = sqlite3_column_text16(handle, index)
    let count = start == nil ? 0 : Int(sqlite3_column_bytes16(handle, index))
    let text = utf8(ofUTF16: UnsafeRawBufferPointer(start: start, count: count))
    return try text.withUnsafeBytes(body)
  }

  /// The bytes of a blob or of a text in UTF-8, which are valid until the next step or reset.
  ///
  /// If the database is in UTF-16, SQLite converts the text. SQLite replaces unpaired surrogates, so
  /// a program's text must be read with ``withText(at:_:)``.
  @inline(__always)
  package func bytes(at index: Int32) -> UnsafeRawBufferPointer {
    let start =
      isUTF16 && type(at: index) == .text
      ? UnsafeRawPointer(sqlite3_column_text(handle, index)) : sqlite3_column_blob(handle, index)
    return UnsafeRawBufferPointer(
      start: start,
      count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, index))
    )
  }

  /// A number that is the same for the same storage classes and bytes of some columns, and never
  /// zero.
  ///
  /// The numbers of another process differ.
  package func fingerprint(of columns: Range<Int32>) -> Int64 {
    var hasher = Hasher()
    for index in columns {
      let value = sqlite3_column_value(handle, index)
      let type = sqlite3_value_type(value)
      hasher.combine(type)
      switch type {
      case SQLITE_NULL: break
      case SQLITE_INTEGER: hasher.combine(sqlite3_value_int64(value))
      case SQLITE_FLOAT: hasher.combine(sqlite3_value_double(value).bitPattern)
      default:
        let start = sqlite3_value_blob(value)
        let count = Int(sqlite3_value_bytes(value))
        hasher.combine(count)
        hasher.combine(bytes: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
      }
    }
    let number = Int64(hasher.finalize())
    return number == 0 ? 1 : number
  }

  /// Whether some columns have the same bits in this row and in the row of another statement.
  ///
  /// Each value is requested once, because a request takes longer than the comparison. No other
  /// thread uses the two statements, so SQLite need not protect the values.
  package func hasSameValues(in columns: Range<Int32>, as other: Statement) -> Bool {
    for index in columns {
      let mine = sqlite3_column_value(handle, index)
      let theirs = sqlite3_column_value(other.handle, index)
      let type = sqlite3_value_type(mine)
      guard type == sqlite3_value_type(theirs) else { return false }
      switch type {
      case SQLITE_NULL: break
      case SQLITE_INTEGER:
        guard sqlite3_value_int64(mine) == sqlite3_value_int64(theirs) else { return false }
      case SQLITE_FLOAT:
        let left = sqlite3_value_double(mine).bitPattern
        guard left == sqlite3_value_double(theirs).bitPattern else { return false }
      default:
        let left = sqlite3_value_blob(mine)
        let right = sqlite3_value_blob(theirs)
        let count = sqlite3_value_bytes(mine)
        guard count == sqlite3_value_bytes(theirs) else { return false }
        if count > 0, let left, let right, memcmp(left, right, Int(count)) != 0 { return false }
      }
    }
    return true
  }
}
