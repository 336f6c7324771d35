import Glibc

/// A notice for each file that users other than its owner can write: only a digest that is kept
/// elsewhere shows what they wrote.
func permissionNotices(_ paths: [String]) -> [Notice] {
  paths.compactMap { path in
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o022 != 0 else { return nil }
    return .othersMayWrite(path)
  }
}
