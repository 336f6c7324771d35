import Format

/// The JSON of a keyed archive of lists, dictionaries, texts, numbers, dates and data; nil if the
/// archive has anything else, or is damaged.
package func archivedJSON(_ bytes: UnsafeRawBufferPointer) -> String? {
  guard bytes.starts(with: "bplist0".utf8), bytes.count <= PropertyList.limit else { return nil }
  do throws(StoreError) {
    let archive = try KeyedArchive(Array(bytes), name: "A value", steps: 16 << 20)
    var json: [UInt8] = []
    guard try append(archive.root, of: archive, depth: 0, to: &json) else { return nil }
    return String(decoding: json, as: UTF8.self)
  } catch {
    // A damaged archive stays the bytes that it is.
    return nil
  }
}

private func append(
  _ content: KeyedArchive.Content,
  of archive: KeyedArchive,
  depth: Int,
  to json: inout [UInt8]
) throws(StoreError) -> Bool {
  // An archive that contains itself ends here too.
  guard depth < 64 else { return false }
  switch content {
  case .null, .other: return false
  case .bool(let isTrue): json += (isTrue ? "true" : "false").utf8
  case .integer(let integer): appendInteger(integer, to: &json)
  case .real(let real): appendJSONNumber(real, isFloat: false, to: &json)
  case .text(let text): appendJSONString(text, to: &json)
  case .data(let bytes): appendJSONString(base64(bytes), to: &json)
  case .object(let object):
    switch try archive.className(of: object) {
    case "NSString", "NSMutableString":
      guard let text = try archive.value("NS.string", of: object).text else { return false }
      appendJSONString(text, to: &json)
    case "NSDate":
      guard case .real(let time) = try archive.value("NS.time", of: object) else { return false }
      appendJSONNumber(time, isFloat: false, to: &json)
    case "NSData", "NSMutableData":
      guard case .data(let bytes) = try archive.value("NS.data", of: object) else { return false }
      appendJSONString(base64(bytes), to: &json)
    case "NSArray", "NSMutableArray":
      return try appendList(archive.elements(of: object), of: archive, depth: depth, to: &json)
    case "NSDictionary", "NSMutableDictionary":
      return try appendMembers(archive.members(of: object), of: archive, depth: depth, to: &json)
    default: return false
    }
  }
  return true
}

private func appendList(
  _ elements: [KeyedArchive.Content],
  of archive: KeyedArchive,
  depth: Int,
  to json: inout [UInt8]
) throws(StoreError) -> Bool {
  json.append(UInt8(ascii: "["))
  for (index, element) in elements.enumerated() {
    if index > 0 { json.append(UInt8(ascii: ",")) }
    guard try append(element, of: archive, depth: depth + 1, to: &json) else { return false }
  }
  json.append(UInt8(ascii: "]"))
  return true
}

private func appendMembers(
  _ members: [(key: KeyedArchive.Content, value: KeyedArchive.Content)],
  of archive: KeyedArchive,
  depth: Int,
  to json: inout [UInt8]
) throws(StoreError) -> Bool {
  var sorted: [(key: String, value: KeyedArchive.Content)] = []
  for member in members {
    guard let key = member.key.text else { return false }
    sorted.append((key, member.value))
  }
  sorted.sort { precedes($0.key, $1.key) }
  json.append(UInt8(ascii: "{"))
  for (index, member) in sorted.enumerated() {
    guard index == 0 || !sameBytes(sorted[index - 1].key, member.key) else { return false }
    if index > 0 { json.append(UInt8(ascii: ",")) }
    json += memberKey(member.key)
    guard try append(member.value, of: archive, depth: depth + 1, to: &json) else { return false }
  }
  json.append(UInt8(ascii: "}"))
  return true
}

private func sameBytes(_ one: String, _ other: String) -> Bool {
  one.utf8.elementsEqual(other.utf8)
}
