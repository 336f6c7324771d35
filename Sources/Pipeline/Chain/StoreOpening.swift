import Changes
import FoundationEssentials
import Store

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
