import Format

/// A difference between two JSON values, at one path inside the values.
package struct InsideDifference: Hashable, Sendable {
  /// The path, such as `address.lines[2]`; empty if the values differ as a whole.
  package var path: String
  /// The earlier value at the path; nil if there was no value.
  package var before: [UInt8]?
  /// The later value at the path; nil if there is no value.
  package var after: [UInt8]?
}

/// The differences between two texts of canonical JSON, by object key and array element.
package func insideDifferences(_ before: [UInt8], _ after: [UInt8]) -> [InsideDifference] {
  var result: [InsideDifference] = []
  compare(before, after, at: "", level: 0, result: &result)
  return result
}

/// A value that is not verified can be nested more than canonical JSON.
private func compare(
  _ before: [UInt8],
  _ after: [UInt8],
  at path: String,
  level: Int,
  result: inout [InsideDifference]
) {
  guard before != after else { return }
  switch (before.first, after.first) {
  case (UInt8(ascii: "{"), UInt8(ascii: "{")) where level < jsonDepthLimit:
    let old = CanonicalText(before).members
    let new = CanonicalText(after).members
    for member in old {
      let path = path + (path.isEmpty ? "" : ".") + (memberName(member.key) ?? "")
      if let other = new.first(where: { $0.key == member.key }) {
        compare(member.value, other.value, at: path, level: level + 1, result: &result)
      } else {
        result.append(InsideDifference(path: path, before: member.value, after: nil))
      }
    }
    for member in new where !old.contains(where: { $0.key == member.key }) {
      let path = path + (path.isEmpty ? "" : ".") + (memberName(member.key) ?? "")
      result.append(InsideDifference(path: path, before: nil, after: member.value))
    }
  case (UInt8(ascii: "["), UInt8(ascii: "[")) where level < jsonDepthLimit:
    let old = CanonicalText(before).elements
    let new = CanonicalText(after).elements
    for index in 0..<max(old.count, new.count) {
      let path = "\(path)[\(index)]"
      if index >= old.count {
        result.append(InsideDifference(path: path, before: nil, after: new[index]))
      } else if index >= new.count {
        result.append(InsideDifference(path: path, before: old[index], after: nil))
      } else {
        compare(old[index], new[index], at: path, level: level + 1, result: &result)
      }
    }
  default: result.append(InsideDifference(path: path, before: before, after: after))
  }
}
