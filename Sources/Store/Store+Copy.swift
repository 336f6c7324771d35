import Changes
import FoundationEssentials
import Glibc
import SQLite

extension Store {
  /// Copies the store in its present state into a new file, with the files of its large values.
  package func copy(to file: URL) throws {
    let path = file.path(percentEncoded: false)
    try describingErrors(at: path) {
      let copy = try Connection(path: path, mode: .readWriteCreate)
      // An interrupted copy is made again.
      try copy.execute("PRAGMA synchronous = OFF")
      // The copy lacks values that writers remove meanwhile, although rows may still name them.
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
      // Files in such a folder are not overwritten, so a link is as good as a copy.
      if link(source.file(name), copy.file(name)) == 0 { continue }
      guard source.contains(name) else { continue }
      // An altered file is copied, and a check of the copy finds it.
      do {
        try copy.copy(.file(source.file(name)), digest: name, isChecked: false)
      } catch let error as StoreError where error.code == .missingBlob {
        continue
      }
    }
  }
}
