import CSQLite
import FoundationEssentials

/// The number of the first parameter is one.
extension Statement {
  package func bindNull(_ index: Int32) throws {
    try check(sqlite3_bind_null(handle, index))
  }

  package func bind(_ index: Int32, _ value: Int64) throws {
    try check(sqlite3_bind_int64(handle, index, value))
  }

  /// Binds a number; SQLite turns NaN into null.
  package func bind(_ index: Int32, _ value: Double) throws {
    try check(sqlite3_bind_double(handle, index, value))
  }

  /// Binds a copy of a text, which can contain NUL.
  package func bind(_ index: Int32, _ value: String) throws {
    var value = value
    try value.withUTF8 { try bind(index, text: UnsafeRawBufferPointer($0)) }
  }

  package func bind(_ index: Int32, _ value: Data) throws {
    try value.withUnsafeBytes {
      try check(bindBlob(index, bytes: $0, destructor: travelog_sqlite_transient()))
    }
  }

  /// Binds a copy of a text in UTF-8.
  ///
  /// If the database is in UTF-16, an unpaired surrogate has three bytes, as in
  /// ``withText(at:_:)``.
  package func bind(_ index: Int32, text bytes: UnsafeRawBufferPointer) throws {
    try bindText(index, bytes: bytes, destructor: travelog_sqlite_transient())
  }

  package func bind(_ index: Int32, blob bytes: UnsafeRawBufferPointer) throws {
    try check(bindBlob(index, bytes: bytes, destructor: travelog_sqlite_transient()))
  }

  /// Binds a text in UTF-8 without a copy.
  ///
  /// The bytes of the text must remain valid until the statement is reset, or the parameter is
  /// bound again.
  package func bind(_ index: Int32, borrowedText bytes: UnsafeRawBufferPointer) throws {
    try bindText(index, bytes: bytes, destructor: travelog_sqlite_static())
  }

  /// Binds a blob without a copy.
  ///
  /// The bytes of the blob must remain valid until the statement is reset, or the parameter is
  /// bound again.
  package func bind(_ index: Int32, borrowedBlob bytes: UnsafeRawBufferPointer) throws {
    try check(bindBlob(index, bytes: bytes, destructor: travelog_sqlite_static()))
  }

  private func bindText(
    _ index: Int32,
    bytes: UnsafeRawBufferPointer,
    destructor: sqlite3_destructor_type?
  ) throws {
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      // If the address is nil, SQLite binds null.
      return try check(
        sqlite3_bind_text64(
          handle,
          index,
          "",
          0,
          travelog_sqlite_transient(),
          UInt8(SQLITE_UTF8)
        )
      )
    }
    guard !isUTF16 else { return try bindUTF16(index, bytes) }
    try check(
      sqlite3_bind_text64(
        handle,
        index,
        start.assumingMemoryBound(to: CChar.self),
        UInt64(bytes.count),
        destructor,
        UInt8(SQLITE_UTF8)
      )
    )
  }

  private func bindUTF16(_ index: Int32, _ bytes: UnsafeRawBufferPointer) throws {
    guard let units = utf16(ofUTF8: bytes) else {
      throw SQLiteError(
        code: SQLiteError.mismatch,
        message: "a text in UTF-16 can't have these bytes",
        sql: sql,
        path: path
      )
    }
    // SQLite removes a byte-order mark at the beginning. Without this one, it would remove U+FEFF
    // from the text, or swap the bytes of a text that begins with U+FFFE.
    try ([0xfeff] + units).withUnsafeBytes { bytes in
      try check(
        sqlite3_bind_text64(
          handle,
          index,
          bytes.baseAddress?.assumingMemoryBound(to: CChar.self),
          UInt64(bytes.count),
          travelog_sqlite_transient(),
          UInt8(SQLITE_UTF16)
        )
      )
    }
  }

  private func bindBlob(
    _ index: Int32,
    bytes: UnsafeRawBufferPointer,
    destructor: sqlite3_destructor_type?
  ) -> Int32 {
    guard let start = bytes.baseAddress, !bytes.isEmpty else {
      return sqlite3_bind_zeroblob(handle, index, 0)
    }
    return sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), destructor)
  }

  @inline(__always)
  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw failure(code) }
  }
}
