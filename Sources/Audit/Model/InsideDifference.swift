import Changes

/// A difference inside two values, at a path in their JSON.
package struct InsideDifference: Hashable, Sendable {
  /// The path, such as `address.lines[2]`; empty for the whole value.
  package var path: String
  /// The value before; nil if it did not exist.
  package var before: [UInt8]?
  /// The value after; nil if it does not exist.
  package var after: [UInt8]?
}

/// The differences between two texts of canonical JSON, by member and element.
package func insideDifferences(_ before: [UInt8], _ after: [UInt8]) -> [InsideDifference] {
  var result: [InsideDifference] = []
  compare(before, after, at: "", result: &result)
  return result
}

private func compare(
  _ before: [UInt8],
  _ after: [UInt8],
  at path: String,
  result: inout [InsideDifference]
) {
  guard before != after else { return }
  switch (before.first, after.first) {
  case (UInt8(ascii: "{"), UInt8(ascii: "{")):
    let old = CanonicalText(before).members
    let new = CanonicalText(after).members
    for member in old {
      let path = path + (path.isEmpty ? "" : ".") + (memberName(member.key) ?? "")
      if let other = new.first(where: { $0.key == member.key }) {
        compare(member.value, other.value, at: path, result: &result)
      } else {
        result.append(InsideDifference(path: path, before: member.value, after: nil))
      }
    }
    for member in new where !old.contains(where: { $0.key == member.key }) {
      let path = path + (path.isEmpty ? "" : ".") + (memberName(member.key) ?? "")
      result.append(InsideDifference(path: path, before: nil, after: member.value))
    }
  case (UInt8(ascii: "["), UInt8(ascii: "[")):
    let old = CanonicalText(before).elements
    let new = CanonicalText(after).elements
    for index in 0..<max(old.count, new.count) {
      let path = "\(path)[\(index)]"
      if index >= old.count {
        result.append(InsideDifference(path: path, before: nil, after: new[index]))
      } else if index >= new.count {
        result.append(InsideDifference(path: path, before: old[index], after: nil))
      } else {
        compare(old[index], new[index], at: path, result: &result)
      }
    }
  default: result.append(InsideDifference(path: path, before: before, after: after))
  }
}
