/// A schema version such as `1.10.0`, whose parts compare as numbers.
///
/// Parts that are missing are zero, so that `1.0` is `1.0.0`. A part that is no number comes before
/// all that are, and among its like in the order of its bytes.
package struct SchemaVersion: Comparable, Sendable, CustomStringConvertible {
  /// The version as the schema has it.
  package let description: String

  /// Takes a version as a schema has it.
  package init(_ text: String) { description = text }

  private var parts: [Substring] {
    description.split(separator: ".", omittingEmptySubsequences: false)
  }

  /// Whether both name one version.
  package static func == (left: SchemaVersion, right: SchemaVersion) -> Bool {
    !(left < right) && !(right < left)
  }

  /// Whether the left version is the older one.
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
