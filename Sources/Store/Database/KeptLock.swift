import Glibc
import SQLite

/// Whether another program keeps a file locked although it does not write to the file.
///
/// With `PRAGMA locking_mode = EXCLUSIVE`, a program keeps its lock until it closes the file. Then
/// nobody else can read the file, in any journal mode. During a write, others can't read the file
/// for a short time only, or the journal of the write is beside the file.
func isKeptLocked(_ path: String) -> Bool {
  for _ in 0..<5 {
    guard !hasActiveJournal(path), isUnreadable(path) else { return false }
    sleepBriefly()
  }
  return true
}

/// Whether a rollback journal contains pages; a program that keeps its lock also keeps the journal,
/// and writes zeros to its beginning.
private func hasActiveJournal(_ path: String) -> Bool {
  let file = open(path + "-journal", O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return false }
  defer { close(file) }
  var header = [UInt8](repeating: 0, count: 28)
  return read(file, &header, header.count) == header.count && header.contains { $0 != 0 }
}

private func isUnreadable(_ path: String) -> Bool {
  do {
    let connection = try Connection(path: path, mode: .readOnly)
    connection.setBusyTimeout(.zero)
    _ = try connection.hasRow("SELECT 1 FROM sqlite_schema LIMIT 1")
    return false
  } catch SQLiteError.busy {
    return true
  } catch {
    // The caller reports the lock. Another error says nothing about who has the lock.
    return false
  }
}
