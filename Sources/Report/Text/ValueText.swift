import Audit
import Format

/// Returns the readable name of an object; nil if the name is not known.
package typealias NameLookup = (_ entity: String, _ id: Int64) -> String?

/// A value as readable text, on one line with a limited number of characters.
package func text(
  of value: PropertyValue?,
  limit: Int = .max,
  marks: Marks = Marks(),
  name: NameLookup = { _, _ in nil }
) -> String {
  guard let value else { return "nothing" }
  if value.isErased { return "(erased)" }
  if value.isUnknown { return "(unknown)" }
  if let large = value.large { return largeText(large, special: value.special, marks: marks) }
  if let special = value.special { return shortened(visible(special), limit: limit, marks: marks) }
  if value.isSpelled, let plain = value.text.flatMap(plainText) {
    return shortened(visible(plain), limit: limit, marks: marks)
  }
  let links = value.links
  guard links.isEmpty else {
    return links.map { link in
      "\(link.entity) \(link.id)"
        + (name(link.entity, link.id).map { " \(marks.quoted($0))" } ?? "")
    }
    .joined(separator: ", ")
  }
  return shortened(visible(String(decoding: value.json, as: UTF8.self)), limit: limit, marks: marks)
}

/// A value of type `any` as people write it: a text in quotes, a number without quotes.
func plainText(_ spelling: String) -> String? {
  var spelling = spelling
  switch spelling.withUTF8({ Value(spelling: UnsafeRawBufferPointer($0)) }) {
  case .integer(let number): return String(number)
  case .real(let number): return String(number)
  case .text(let text):
    var quoted: [UInt8] = []
    appendJSONString(text, to: &quoted)
    return String(decoding: quoted, as: UTF8.self)
  case .null, .blob, .brokenText, nil: return nil
  }
}

private func largeText(_ large: [UInt8], special: String?, marks: Marks) -> String {
  let reference = LargeReference(large)
  let digest = (reference?.digest ?? "").prefix(12) + marks.ellipsis
  return "(\(reference?.size ?? 0) bytes, SHA-256 \(digest)"
    + (special == SpecialValue.missingName ? ", whose file was gone)" : ")")
}

func shortened(_ text: String, limit: Int, marks: Marks = Marks()) -> String {
  // Counting characters takes much longer than counting bytes, and most texts are short.
  guard text.utf8.count > limit, text.count > limit else { return text }
  return "\(text.prefix(limit))\(marks.ellipsis) (\(text.count) characters)"
}
