import Changes
import Store

/// The large values that a change refers to, with their sizes; without those that it says were gone
/// when it was written.
func largeReferences(in change: Change) -> [(digest: String, size: Int64)] {
  let missing = Array("\"\(SpecialValue.missingName)\"".utf8)
  let special = members(of: Array(change.special))
  return members(of: Array(change.large)).flatMap { side in
    let notes = special.first { $0.key == side.key }.map { members(of: $0.value) } ?? []
    return members(of: side.value).compactMap { member -> (String, Int64)? in
      guard !notes.contains(where: { $0.key == member.key && $0.value == missing }) else {
        return nil
      }
      let parts = members(of: member.value)
      guard parts.count == 2, let size = Int64(String(decoding: parts[1].value, as: UTF8.self))
      else { return nil }
      return (String(decoding: parts[0].value.dropFirst().dropLast(), as: UTF8.self), size)
    }
  }
}
