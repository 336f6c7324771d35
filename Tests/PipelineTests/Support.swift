import Foundation
import SQLite
import Store

/// A copy of a store's file as it is now, with what its write-ahead log has.
func copyStore(_ path: String, to copy: String) throws {
  let source = try Connection(path: path, mode: .readOnly)
  try source.backup(to: Connection(path: copy, mode: .readWriteCreate))
  if FileManager.default.fileExists(atPath: path + "-blobs") {
    try FileManager.default.copyItem(atPath: path + "-blobs", toPath: copy + "-blobs")
  }
}

/// Writes as a program does that knows nothing of stores.
func runSQL(_ sql: String, on path: String) throws {
  try Connection(path: path, mode: .readWrite).execute(sql)
}

/// The bytes of all files in a folder, by their paths, without what SQLite keeps beside a store
/// that is open.
func contents(of folder: URL) throws -> [String: Data] {
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
