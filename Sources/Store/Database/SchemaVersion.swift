/// A schema version such as `1.10.0`, whose parts are compared as numbers.
///
/// Missing parts are zero: `1.0` equals `1.0.0`. A part that is not a number sorts before every
/// number. Two parts that are not numbers are compared by their bytes.
package struct SchemaVersion: Comparable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ text: String) { description = text }

  private var parts: [Substring] {
    description.split(separator: ".", omittingEmptySubsequences: false)
  }

  package static func == (left: SchemaVersion, right: SchemaVersion) -> Bool {
    !(left < right) && !(right < left)
  }

  package static func < (left: SchemaVersion, right: SchemaVersion) -> Bool {
    let leftParts = left.parts
    let rightParts = right.parts
    for index in 0..<max(leftParts.count, rightParts.count) {
      let leftPart = index < leftParts.count ? leftParts[index] : "0"
      let rightPart = index < rightParts.count ? rightParts[index] : "0"
      switch (UInt64(leftPart), UInt64(rightPart)) {
      case (let left?, let right?) where left != right: return left < right
      case (nil, nil) where leftPart != rightPart:
        return leftPart.utf8.lexicographicallyPrecedes(rightPart.utf8)
      case (nil, _?): return true
      case (_?, nil): return false
      default: continue
      }
    }
    return false
  }
}
