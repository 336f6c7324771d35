import Glibc

package func inQuotes(_ text: String) -> String { "“\(text)”" }

/// A value of at most 80 characters, or the beginning of a longer value with the size of the value.
package func abbreviated(_ text: String) -> String {
  text.count > 80 ? "\(text.prefix(50))… (\(text.count) characters)" : text
}

package func systemText(_ number: Int32) -> String { String(cString: strerror(number)) }

/// Whether this user may not read a file, or may not enter its folder.
package func isForbidden(_ path: String) -> Bool {
  faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0 && errno == EACCES
}

/// The words about a file that this user may not read.
package func forbidden(_ path: String) -> Wording {
  "\(path) can't be opened: \(systemText(EACCES)).\n" + permissionHint(for: path)
}

/// What to do if this user may not read a file or a folder, or may not change it.
package func permissionHint(for path: String) -> Wording {
  var (path, status) = (path, stat())
  // If this user can't enter a folder, the folder lacks the permission and not what is in it.
  while stat(path, &status) != 0 {
    guard path != parentFolder(path) else { return permissionHint(for: path, owner: nil) }
    path = parentFolder(path)
  }
  guard status.st_uid != geteuid() else { return permissionHint(for: path, owner: nil) }
  let name = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) }
  return permissionHint(for: path, owner: name ?? "user \(status.st_uid)")
}

/// `owner` is the name of the owner, if it is another user.
func permissionHint(for path: String, owner: String?) -> Wording {
  "Give this user the permission for \(path)"
    + "\(owner.map { ", which belongs to \($0)" } ?? "")."
}

package func parentFolder(_ path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// A number with its noun, such as “1 row” or “2 rows”.
package func countText(_ count: Int, noun: String) -> String {
  "\(count) \(noun)\(count == 1 ? "" : "s")"
}

/// A range of transactions, such as “Transaction 3” or “Transactions 3 to 5”.
package func rangeText(_ range: ClosedRange<Int64>) -> String {
  range.lowerBound == range.upperBound
    ? "Transaction \(range.lowerBound)"
    : "Transactions \(range.lowerBound) to \(range.upperBound)"
}

/// The first ten names, and the number of further names.
package func listText(_ names: [String], of total: Int? = nil) -> String {
  let shown = names.prefix(10)
  let rest = (total ?? names.count) - shown.count
  return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
}

/// A text without characters that begin a line, control a terminal or change the direction of the
/// line; instead of them it has escapes such as `\u{a}`.
///
/// Names of files and values can come from unknown people, and could imitate the lines of a program.
package func visible(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    if isUnsafe(scalar) {
      result += "\\u{\(String(scalar.value, radix: 16))}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

private func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7f...0x9f, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
  default: false
  }
}
