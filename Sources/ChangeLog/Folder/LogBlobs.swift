import Format
import Glibc

/// The blob files of a log folder, each of which has its SHA-256 as its name.
package struct LogBlobs: Hashable, Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  package func file(_ digest: String) -> String { "\(path)/\(digest)" }

  /// Whether a blob file with a digest exists; a link or a pipe with its name is not a blob file.
  package func contains(_ digest: String) -> Bool {
    var status = stat()
    return lstat(file(digest), &status) == 0 && FileKind(mode: status.st_mode) == .file
  }

  /// Writes a large value durably, unless its blob file exists.
  ///
  /// - Throws: ``StoreError`` if the store's own blob file was altered, and ``LogError``.
  package func write(_ value: LargeValue, digest: String) throws {
    guard !contains(digest) else { return }
    try makeFolders(path)
    try writeDurably(to: file(digest)) { write in
      var hash = SHA256()
      try value.forEachPiece {
        hash.update($0)
        try write($0)
      }
      guard hash.finish().description == digest else {
        throw alteredLargeValue(digest, at: file(digest))
      }
    }
  }

  /// The bytes of a large value, whose digest the caller must verify.
  ///
  /// - Throws: ``LogError`` with ``LogError/Code/missing``.
  package func value(_ digest: String) throws -> LargeValue {
    close(try open(digest))
    return .file(file(digest))
  }

  /// Throws if a large value is missing, or if its file does not have the right digest and size.
  package func check(_ digest: String, size: Int64) throws {
    let descriptor = try open(digest)
    defer { close(descriptor) }
    var hash = SHA256()
    var total: Int64 = 0
    var chunk = [UInt8](repeating: 0, count: 1 << 18)
    // At most one byte more than the declared size is read. This is enough to notice that a file is
    // too long, even if the file has no end.
    while total <= size {
      let count = Glibc.read(descriptor, &chunk, 1 + Int(min(Int64(chunk.count) - 1, size - total)))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw diskError("read", path: file(digest)) }
      if count == 0 { break }
      total += Int64(count)
      chunk.withUnsafeBytes { hash.update(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }
    guard total == size, hash.finish().description == digest else {
      throw LogError(.damaged, file(digest)) {
        "The large value \(file(digest)) was altered: its bytes do not have the digest in the name"
          + " of the file.\n\(Self.copyBlobs)"
      }
    }
  }

  private func open(_ digest: String) throws(LogError) -> Int32 {
    do {
      return try openFile(file(digest))
    } catch  where error.code == .missing {
      throw LogError(.missing, file(digest)) {
        "The large value \(file(digest)) is missing.\n\(Self.copyBlobs)"
      }
    }
  }

  private static let copyBlobs =
    "Copy the file, or the folder “blobs”, from the original log folder."
}
