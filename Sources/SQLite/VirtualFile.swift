import CSQLite
import Glibc

/// A database file whose bytes this process provides, and that SQLite only reads.
///
/// The file can have other bytes in a later transaction if the change counter in its header differs
/// then; SQLite compares this counter when a transaction begins.
package protocol VirtualFile: AnyObject {
  var size: Int64 { get }

  /// Fills the room with bytes that begin at an offset; false if they can't be read.
  ///
  /// SQLite then reports an error without a reason, so the file must remember the reason.
  func read(into room: UnsafeMutableRawBufferPointer, at offset: Int64) -> Bool
}

extension Connection {
  /// Opens a virtual file.
  ///
  /// SQLite keeps the file until the connection and its last statement are closed. Temporary files
  /// are ordinary files.
  ///
  /// - Parameters:
  ///   - file: The file, which another thread must not use at the same time.
  ///   - path: The path in messages.
  /// - Throws: ``SQLiteError``.
  package convenience init(reading file: any VirtualFile, path: String) throws {
    guard let system = fileSystem else {
      throw SQLiteError(SQLITE_NOMEM, database: nil, path: path)
    }
    // The name is the address of the object, which the system finds again when it opens the file.
    let holder = Unmanaged.passRetained(Holder(file))
    defer { holder.release() }
    try self.init(
      path: path,
      name: namePrefix + String(UInt(bitPattern: holder.toOpaque()), radix: 16),
      flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
      fileSystem: system,
      isImmutable: true
    )
  }
}

private final class Holder {
  let file: any VirtualFile
  init(_ file: any VirtualFile) { self.file = file }
}

private let namePrefix = "/travelog-virtual/"
private let systemName = "travelog-virtual"

/// The name of SQLite's file system with virtual files, which is registered once; nil if SQLite could
/// not register it.
///
/// The system is a copy of the default one with another function that opens files.
private let fileSystem: String? = {
  guard let usual = sqlite3_vfs_find(nil), let name = strdup(systemName) else { return nil }
  let system = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
  system.initialize(to: usual.pointee)
  system.pointee.zName = UnsafePointer(name)
  system.pointee.pNext = nil
  system.pointee.szOsFile = max(
    usual.pointee.szOsFile,
    Int32(MemoryLayout<OpenFile>.size)
  )
  system.pointee.xOpen = { _, name, file, flags, outFlags in
    guard let file else { return SQLITE_CANTOPEN }
    guard let name, flags & SQLITE_OPEN_MAIN_DB != 0 else {
      // Temporary files belong to the default system.
      guard let usual = sqlite3_vfs_find(nil) else { return SQLITE_CANTOPEN }
      return usual.pointee.xOpen(usual, name, file, flags, outFlags)
    }
    let text = String(cString: name)
    file.pointee.pMethods = nil
    guard text.hasPrefix(namePrefix),
      let address = UInt(text.dropFirst(namePrefix.count), radix: 16),
      let pointer = UnsafeRawPointer(bitPattern: address)
    else { return SQLITE_CANTOPEN }
    let holder = Unmanaged<Holder>.fromOpaque(pointer).retain()
    UnsafeMutableRawPointer(file).initializeMemory(
      as: OpenFile.self,
      to: OpenFile(methods: methods, holder: holder)
    )
    outFlags?.pointee = SQLITE_OPEN_READONLY
    return SQLITE_OK
  }
  return sqlite3_vfs_register(system, 0) == SQLITE_OK ? systemName : nil
}()

/// SQLite's room for an open file, which begins with the file's methods.
private struct OpenFile {
  let methods: UnsafePointer<sqlite3_io_methods>
  let holder: Unmanaged<Holder>

  static func file(_ file: UnsafeMutablePointer<sqlite3_file>?) -> (any VirtualFile)? {
    guard let file else { return nil }
    return UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self).pointee.holder
      .takeUnretainedValue().file
  }
}

/// The methods of a virtual file; nobody else knows the file, so it needs no locks.
private nonisolated(unsafe) let methods: UnsafePointer<sqlite3_io_methods> = {
  let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
  methods.initialize(to: sqlite3_io_methods())
  methods.pointee.iVersion = 1
  methods.pointee.xClose = { file in
    guard let file else { return SQLITE_OK }
    UnsafeMutableRawPointer(file).assumingMemoryBound(to: OpenFile.self).pointee.holder.release()
    return SQLITE_OK
  }
  methods.pointee.xRead = { file, bytes, count, offset in
    guard let file = OpenFile.file(file), let bytes else { return unreadable }
    let room = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
    let there = Int(max(0, min(Int64(count), file.size - offset)))
    if there < room.count {
      // SQLite requires zeros after the end of a file.
      UnsafeMutableRawBufferPointer(rebasing: room[there...]).initializeMemory(
        as: UInt8.self,
        repeating: 0
      )
    }
    let part = UnsafeMutableRawBufferPointer(rebasing: room[..<there])
    guard there == 0 || file.read(into: part, at: offset) else { return unreadable }
    return there < room.count ? shortRead : SQLITE_OK
  }
  methods.pointee.xWrite = { _, _, _, _ in SQLITE_READONLY }
  methods.pointee.xTruncate = { _, _ in SQLITE_READONLY }
  methods.pointee.xSync = { _, _ in SQLITE_OK }
  methods.pointee.xFileSize = { file, size in
    size?.pointee = OpenFile.file(file)?.size ?? 0
    return SQLITE_OK
  }
  methods.pointee.xLock = { _, _ in SQLITE_OK }
  methods.pointee.xUnlock = { _, _ in SQLITE_OK }
  methods.pointee.xCheckReservedLock = { _, isReserved in
    isReserved?.pointee = 0
    return SQLITE_OK
  }
  methods.pointee.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
  methods.pointee.xSectorSize = { _ in 4096 }
  methods.pointee.xDeviceCharacteristics = { _ in 0 }
  return UnsafePointer(methods)
}()

// SQLite's codes SQLITE_IOERR_READ and SQLITE_IOERR_SHORT_READ are macros that Swift does not import.
private let unreadable = SQLITE_IOERR | 1 << 8
private let shortRead = SQLITE_IOERR | 2 << 8
