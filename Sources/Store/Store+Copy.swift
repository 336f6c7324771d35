import Changes
import FoundationEssentials
import Glibc
import SQLite

extension Store {
  /// Copies the store as it is now into a new file, with the files of its large values.
  package func copy(to file: URL) throws {
    let path = file.path(percentEncoded: false)
    try describingErrors(at: path) {
      let copy = try Connection(path: path, mode: .readWriteCreate)
      // Whoever is stopped makes another copy.
      try copy.execute("PRAGMA synchronous = OFF")
      // A value that a writer lets go of meanwhile is not in the copy, where rows may still name it.
      try read { reader in
        try reader.connection.backup(to: copy)
        try Self.copyValues(from: BlobFolder(besides: location.path), to: BlobFolder(besides: path))
      }
    }
  }

  private static func copyValues(from source: BlobFolder, to copy: BlobFolder) throws {
    let names = try source.names().filter { Digest(hexadecimal: $0) != nil }
    guard !names.isEmpty else { return }
    try copy.create()
    for name in names {
      // Nothing is ever written over in such a folder, so that a second name is as good as a copy.
      if link(source.file(name), copy.file(name)) == 0 { continue }
      guard source.contains(name) else { continue }
      // One that was altered is altered in the copy as well, for whoever checks it there.
      do {
        try copy.copy(.file(source.file(name)), digest: name, isChecked: false)
      } catch let error as StoreError where error.code == .missingBlob {
        continue
      }
    }
  }
}
