import Glibc

/// A sentence for each file that others than its owner may write, because what they write can't be
/// told from what this program wrote, but for a digest that is kept elsewhere.
func permissionNotices(_ paths: [String]) -> [String] {
  paths.compactMap { path in
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & 0o022 != 0 else { return nil }
    return "Others may write \(path); take that right from them with “chmod go-w”."
  }
}
