import Format
import FoundationEssentials
import Glibc
import SQLite

extension Store {
  /// Copies the present state of the store to a new file, with its blob files.
  package func copy(to file: URL) throws {
    let path = file.path(percentEncoded: false)
    try describingErrors(at: path) {
      let copy = try Connection(path: path, mode: .readWriteCreate)
      // An interrupted copy is not used, so it need not be durable.
      try copy.execute("PRAGMA synchronous = OFF")
      // The files of large values are copied while the reader has its snapshot. A writer can remove
      // such a file meanwhile; then the copied rows refer to a value that the copy lacks.
      try read { reader in
        try reader.connection.backup(to: copy)
        // A backup increments SQLite's schema version, as VACUUM does, but keeps the rows' numbers.
        if let prefix = reader.connection.tablePrefix,
          try Capture.isCurrent(on: reader.connection)
        {
          try copy.useTables(prefix: prefix)
          try Capture.noteVersion(on: copy)
        }
        if let prefix = reader.connection.tablePrefix,
          var database = try ReadDatabase(on: reader.connection)
        {
          try copy.useTables(prefix: prefix)
          database.isCopy = true
          try database.note(on: copy)
        }
        try Self.copyValues(from: BlobFolder(besides: location.path), to: BlobFolder(besides: path))
      }
    }
  }

  private static func copyValues(from source: BlobFolder, to copy: BlobFolder) throws {
    let names = try source.names().filter { Digest(hexadecimal: $0) != nil }
    guard !names.isEmpty else { return }
    try copy.create()
    for name in names {
      // Blob files are never overwritten, so a hard link can replace a copy.
      if link(source.file(name), copy.file(name)) == 0 { continue }
      guard source.contains(name) else { continue }
      // An altered file is copied too; a check of the copy reports it.
      do {
        try copy.copy(.file(source.file(name)), digest: name, isChecked: false)
      } catch let error as StoreError where error.code == .missingBlob {
        continue
      }
    }
  }
}
