import Format
import FoundationEssentials
import Glibc
import Stopping

/// The folder beside a store that contains large values, each in a file named by its SHA-256.
///
/// A file is written under another name, synced and renamed, so a file with its final name is
/// complete. No file is overwritten. A forged store can contain any text as a file name, so the
/// folder accepts only digests.
struct BlobFolder: Sendable {
  private static let suffix = "-blobs"

  let path: String

  init(besides store: String) {
    path = store + Self.suffix
  }

  /// The read permissions of the store's file, which SQLite also gives to the files that it
  /// creates.
  private var mode: mode_t {
    var status = stat()
    let isThere = stat(String(path.dropLast(Self.suffix.utf8.count)), &status) == 0
    return 0o600 | (isThere ? status.st_mode & 0o044 : 0o044)
  }

  func file(_ digest: String) -> String { path + "/" + digest }

  func contains(_ digest: String) -> Bool {
    Digest(hexadecimal: digest) != nil && access(file(digest), F_OK) == 0
  }

  /// Writes a value, unless its file exists.
  ///
  /// The value is durable after ``sync()`` has returned.
  func write(_ bytes: UnsafeRawBufferPointer, digest: String) throws {
    guard !contains(digest) else { return }
    try write(digest) { write in try write(bytes) }
  }

  /// Copies a value and verifies its digest; does nothing if the value's file exists.
  func copy(_ value: LargeValue, digest: String, isChecked: Bool = true) throws {
    guard !contains(digest) else { return }
    try write(digest) { write in
      var hash = SHA256()
      try value.forEachPiece {
        if isChecked { hash.update($0) }
        try write($0)
      }
      guard !isChecked || hash.finish().description == digest else { throw alteredValue(digest) }
    }
  }

  private func write(
    _ digest: String,
    _ pieces: (_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws {
    let temporary = path + "/.\(digest).\(getpid())"
    Leftovers.add(temporary)
    defer { Leftovers.forget(temporary) }
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw failure("create", file: temporary) }
    do {
      defer { close(descriptor) }
      try pieces { piece in
        var rest = piece
        while !rest.isEmpty {
          let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
          if count < 0, errno == EINTR { continue }
          guard count > 0 else { throw failure("write", file: temporary) }
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
      }
      guard fsync(descriptor) == 0 else { throw failure("sync", file: temporary) }
    } catch {
      unlink(temporary)
      throw error
    }
    guard rename(temporary, file(digest)) == 0 else { throw failure("rename", file: temporary) }
  }

  func create() throws {
    // Every user who may read the files also needs the permission to enter the folder.
    if mkdir(path, 0o700 | mode & 0o044 | (mode & 0o044) >> 2) == 0 {
      try syncFolder(String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)))
    } else if errno != EEXIST {
      throw failure("create", file: path)
    }
  }

  /// Makes all files written so far durable.
  func sync() throws { try syncFolder(path) }

  /// The size of a value's file; nil if the file is missing.
  func size(of digest: String) throws -> Int64? {
    guard Digest(hexadecimal: digest) != nil else { return nil }
    var status = stat()
    if stat(file(digest), &status) == 0 { return Int64(status.st_size) }
    guard errno == ENOENT || errno == ENOTDIR else { throw failure("look at", file: file(digest)) }
    return nil
  }

  /// The bytes of a value's file; nil if the file is missing.
  func read(_ digest: String) throws -> Data? {
    guard contains(digest) else { return nil }
    return try Data(contentsOf: URL(fileURLWithPath: file(digest)))
  }

  /// Removes the file of a value, or a file that an interrupted run left; a missing file is not an
  /// error.
  func remove(_ digest: String) throws {
    guard !["", ".", ".."].contains(digest), !digest.utf8.contains(UInt8(ascii: "/")) else {
      return
    }
    if unlink(file(digest)) != 0, errno != ENOENT { throw failure("remove", file: file(digest)) }
  }

  /// The names of all files; empty if there is no folder.
  func names() throws -> [String] {
    var isFolder = stat()
    guard stat(path, &isFolder) == 0 else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path)
  }

  private func syncFolder(_ path: String) throws {
    let descriptor = open(path.isEmpty ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure("open", file: path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure("sync", file: path) }
  }

  func failure(_ verb: String, file: String, number: Int32 = errno) -> StoreError {
    let code: StoreError.Code =
      switch number {
      case ENOSPC, EDQUOT: .diskFull
      case EROFS, EACCES: .readOnly
      default: .inputOutput
      }
    return StoreError(code, at: path) {
      "Can't \(verb) \(file) for a large value: \(systemText(number)). Nothing of this write was"
        + " kept."
    }
  }
}

/// The error for a value whose bytes do not match the digest in the name of the file.
func alteredValue(_ digest: String) -> CanonicalEncodingError {
  CanonicalEncodingError(
    message: "the large value \(digest) does not match this digest; the file was altered"
  )
}
