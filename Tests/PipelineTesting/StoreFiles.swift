import Foundation
import SQLite
import Store

/// Copies a store's file with the contents of its write-ahead log.
package func copyStore(_ path: String, to copy: String) throws {
  let source = try Connection(path: path, mode: .readOnly)
  try source.backup(to: Connection(path: copy, mode: .readWriteCreate))
  if FileManager.default.fileExists(atPath: path + "-blobs") {
    try FileManager.default.copyItem(atPath: path + "-blobs", toPath: copy + "-blobs")
  }
}

/// Writes as a program that is not Travelog.
package func runSQL(_ sql: String, on path: String) throws {
  try Connection(path: path, mode: .readWrite).execute(sql)
}

/// The bytes of all files in a folder by their paths, except the files of SQLite beside an open
/// store.
package func contents(of folder: URL) throws -> [String: Data] {
  var result: [String: Data] = [:]
  for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
  where !name.hasSuffix("-shm") {
    var isFolder: ObjCBool = false
    let path = folder.path + "/" + name
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
    result[name] = isFolder.boolValue ? Data() : try Data(contentsOf: URL(fileURLWithPath: path))
  }
  return result
}
