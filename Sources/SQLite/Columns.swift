import CSQLite
public import FoundationEssentials
import Glibc

/// The storage class of one value in one row.
public enum StorageClass: Int32, Hashable, Sendable {
  case integer = 1
  case real = 2
  case text = 3
  case blob = 4
  case null = 5
}

/// Columns are counted from zero, as SQLite does, and are there after ``Statement/step()`` gave true.
extension Statement {
  /// The storage class of a value, to be asked before the value is read in another class.
  @inline(__always)
  public func type(at index: Int32) -> StorageClass {
    StorageClass(rawValue: sqlite3_column_type(handle, index)) ?? .null
  }

  /// The value as an integer, converted by SQLite where it is none.
  @inline(__always)
  public func int64(at index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

  /// The value as a number with a fraction, converted by SQLite where it is none.
  @inline(__always)
  public func double(at index: Int32) -> Double { sqlite3_column_double(handle, index) }

  /// True where there is no value.
  @inline(__always)
  public func isNull(at index: Int32) -> Bool {
    sqlite3_column_type(handle, index) == SQLITE_NULL
  }

  /// The value as a text; bytes that are not UTF-8 become U+FFFD.
  public func string(at index: Int32) -> String {
    guard let start = sqlite3_column_text(handle, index) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, index))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  /// A copy of the bytes of a text or blob.
  public func data(at index: Int32) -> Data {
    guard let start = sqlite3_column_blob(handle, index) else { return Data() }
    return Data(bytes: start, count: Int(sqlite3_column_bytes(handle, index)))
  }

  /// Calls with the bytes of a text or blob, which are there until the next step or reset.
  public func withBytes<Result>(
    at index: Int32,
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    let start = sqlite3_column_blob(handle, index)
    let count = start == nil ? 0 : Int(sqlite3_column_bytes(handle, index))
    return try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The bytes of a text or blob, which are there until the next step or reset.
  @inline(__always)
  public func bytes(at index: Int32) -> UnsafeRawBufferPointer {
    let start = sqlite3_column_blob(handle, index)
    return UnsafeRawBufferPointer(
      start: start,
      count: start == nil ? 0 : Int(sqlite3_column_bytes(handle, index))
    )
  }

  /// True where a column of this row and one of another statement's row hold the same bits.
  public func hasSameValue(at index: Int32, as other: Statement, at second: Int32) -> Bool {
    let type = sqlite3_column_type(handle, index)
    guard type == sqlite3_column_type(other.handle, second) else { return false }
    switch type {
    case SQLITE_NULL: return true
    case SQLITE_INTEGER: return int64(at: index) == other.int64(at: second)
    case SQLITE_FLOAT:
      return double(at: index).bitPattern == other.double(at: second).bitPattern
    default:
      let mine = bytes(at: index)
      let theirs = other.bytes(at: second)
      guard mine.count == theirs.count else { return false }
      guard let left = mine.baseAddress, let right = theirs.baseAddress else { return true }
      return memcmp(left, right, mine.count) == 0
    }
  }
}
