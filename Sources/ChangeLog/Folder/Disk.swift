import Format
import Glibc
import Stopping

/// Creates a folder and its parents durably; only the owner can access new folders.
package func makeFolders(_ path: String) throws(LogError) {
  var status = stat()
  if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { return }
  let parent = parentFolder(path)
  if parent != path { try makeFolders(parent) }
  if mkdir(path, 0o700) != 0, errno != EEXIST { throw diskError("create", path: path) }
  try syncFolder(parent)
}

/// The flags for opening a file for writing: links are not followed, and opening a pipe does not
/// wait for its reader.
let writing = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK

/// Syncs a folder; after a power failure, its files then still have their names.
func syncFolder(_ path: String) throws(LogError) {
  let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard descriptor >= 0 else { throw diskError("open", path: path) }
  defer { close(descriptor) }
  guard fsync(descriptor) == 0 else { throw diskError("sync", path: path) }
}

/// Writes a file durably: the file is either complete or does not exist.
///
/// If `isForAll` is true, other users may read the file as far as the umask allows. If
/// `ignoresUmask` is true, the umask is ignored.
package func writeDurably(
  _ bytes: [UInt8],
  to path: String,
  isForAll: Bool = false,
  ignoresUmask: Bool = false
) throws {
  try writeDurably(to: path, isForAll: isForAll, ignoresUmask: ignoresUmask) { write in
    try bytes.withUnsafeBytes { try write($0) }
  }
}

/// Writes a file durably from parts; only one part at a time is in memory.
///
/// Until the file is complete, it has a temporary name in its folder, or the given temporary name.
package func writeDurably(
  to path: String,
  isForAll: Bool = false,
  ignoresUmask: Bool = false,
  temporary: String? = nil,
  _ pieces: (_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
) throws {
  let temporary =
    temporary ?? "\(parentFolder(path))/.\(path.split(separator: "/").last ?? "").writing"
  Leftovers.add(temporary)
  defer { Leftovers.forget(temporary) }
  let descriptor = open(
    temporary,
    writing | O_TRUNC,
    isForAll ? 0o644 : 0o600
  )
  guard descriptor >= 0 else { throw diskError("create", path: temporary) }
  do {
    defer { close(descriptor) }
    try pieces { try write($0, to: descriptor, path: temporary) }
    if ignoresUmask, fchmod(descriptor, 0o644) != 0 {
      throw diskError("set the permissions of", path: temporary)
    }
    guard fsync(descriptor) == 0 else { throw diskError("sync", path: temporary) }
  } catch {
    unlink(temporary)
    throw error
  }
  try moveDurably(temporary, to: path)
}

/// Renames a synced file durably.
func moveDurably(_ temporary: String, to path: String) throws(LogError) {
  guard rename(temporary, path) == 0 else {
    let error = diskError("rename", path: temporary)
    unlink(temporary)
    throw error
  }
  try syncFolder(parentFolder(path))
}

/// Removes a file durably if the file exists.
package func removeDurably(_ path: String) throws(LogError) {
  guard unlink(path) == 0 || errno == ENOENT else { throw diskError("remove", path: path) }
  try syncFolder(parentFolder(path))
}

func write(_ bytes: [UInt8], to descriptor: Int32, path: String) throws(LogError) {
  try bytes.withUnsafeBufferPointer { (bytes) throws(LogError) in
    try write(UnsafeRawBufferPointer(bytes), to: descriptor, path: path)
  }
}

func write(
  _ bytes: UnsafeRawBufferPointer,
  to descriptor: Int32,
  path: String
) throws(LogError) {
  var written = 0
  while written < bytes.count {
    let count = Glibc.write(
      descriptor,
      bytes.baseAddress.map { $0 + written },
      bytes.count - written
    )
    if count < 0, errno == EINTR { continue }
    guard count > 0 else { throw diskError("write", path: path) }
    written += count
  }
}

/// Reads a small file; nil if the file does not exist.
///
/// A link or a pipe instead of the file is damage, unless `isNamed` is true: a person named
/// the file.
package func readSmallFile(
  _ path: String,
  limit: Int = 1 << 24,
  isNamed: Bool = false
) throws -> [UInt8]? {
  var bytes: [UInt8] = []
  let isThere = try readPieces(of: path, isNamed: isNamed) { piece in
    bytes += piece
    guard bytes.count <= limit else { throw tooLarge(path) }
  }
  return isThere ? bytes : nil
}

/// Calls the closure with each part of a file's bytes; returns false if the file does not exist.
private func readPieces(
  of path: String,
  isNamed: Bool = false,
  _ body: (ArraySlice<UInt8>) throws -> Void
) throws -> Bool {
  let descriptor: Int32
  do {
    descriptor = try isNamed ? openAnything(path) : openFile(path)
  } catch {
    guard error.code == .missing else { throw error }
    return false
  }
  defer { close(descriptor) }
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = read(descriptor, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw diskError("read", path: path) }
    if count == 0 { return true }
    try body(chunk[..<count])
  }
}

package func fileDigest(_ path: String) throws -> Digest {
  var digest = SHA256()
  let isThere = try readPieces(of: path) { piece in
    piece.withUnsafeBytes { digest.update($0) }
  }
  guard isThere else { throw diskError("open", path: path, number: ENOENT) }
  return digest.finish()
}

/// Opens a file that a person named; the file may be a pipe.
private func openAnything(_ path: String) throws(LogError) -> Int32 {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw diskError("open", path: path) }
  return descriptor
}

/// Appends bytes durably after the first `length` bytes of a file, which is created if it does not
/// exist.
func appendDurably(_ bytes: [UInt8], to path: String, after length: Int64) throws(LogError) {
  let isNew = access(path, F_OK) != 0
  let descriptor = open(path, writing, 0o600)
  guard descriptor >= 0 else { throw diskError("open", path: path) }
  defer { close(descriptor) }
  // An interrupted program wrote the bytes after the first `length` bytes, so they are removed.
  guard ftruncate(descriptor, off_t(length)) == 0, lseek(descriptor, 0, SEEK_END) == length else {
    throw diskError("write", path: path)
  }
  try write(bytes, to: descriptor, path: path)
  guard fsync(descriptor) == 0 else { throw diskError("sync", path: path) }
  if isNew { try syncFolder(parentFolder(path)) }
}

/// Calls `body` with each complete line of a file, without its line break; a missing file has no
/// lines.
func readLines(
  of path: String,
  limit: Int,
  _ body: (UnsafeRawBufferPointer) throws -> Void
) throws {
  var waiting: [UInt8] = []
  _ = try readPieces(of: path) { piece in
    waiting += piece
    var start = 0
    while let end = waiting[start...].firstIndex(of: 0x0a), end - start <= limit {
      try waiting.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<end])) }
      start = end + 1
    }
    waiting.removeFirst(start)
    // The rest has no complete line, or begins with one that is too long.
    guard waiting.count <= limit else { throw tooLarge(path) }
  }
}

private func tooLarge(_ path: String) -> LogError {
  LogError(.damaged, path) { "The file \(path), or a line in it, is larger than the limit." }
}

/// The sorted names in a folder; empty if the folder does not exist, or if the path is a link.
func names(in folder: String) throws(LogError) -> [String] {
  try entries(in: folder).map(\.name)
}

/// The size of a file; zero if the file does not exist.
package func size(of path: String) -> Int64 {
  var status = stat()
  return stat(path, &status) == 0 ? Int64(status.st_size) : 0
}
