import Changes
import FoundationEssentials
import Glibc
import Store

/// A sentence for each file that others than its owner may write, because what they write can't be
/// told from what this program wrote, but for a digest that is kept elsewhere.
func permissionNotices(_ paths: [String]) -> [String] {
  paths.compactMap { path in
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o022 != 0 else { return nil }
    return "Others may write \(path); take that right from them with “chmod go-w”."
  }
}

/// Opens a store for reading.
package func readableStore(_ path: String) throws -> Store {
  try Store.open(.file(URL(fileURLWithPath: path)), options: Options(isReadOnly: true))
}

/// Opens a store for writing; nil if its file or its folder is read-only for this user.
func writableStore(_ path: String, busyTimeout: Duration = .seconds(10)) throws -> Store? {
  do {
    let options = Options(busyTimeout: busyTimeout)
    return try Store.open(.file(URL(fileURLWithPath: path)), options: options)
  } catch let error as StoreError where error.code == .readOnly {
    return nil
  }
}
