import AppleStores
import Format
import FoundationEssentials

/// Reads a property list as what a store of Core Data can have there.
func fuzzPropertyList(_ bytes: [UInt8]) throws {
  try refusing { _ = try PropertyList(bytes, name: "List").tree() }
  try refusing { _ = try AppleModel(archive: bytes, keys: []) }
  try refusing {
    let archive = try KeyedArchive(bytes, name: "Archive", steps: 100_000)
    var seen: Set<KeyedArchive.Object> = []
    var waiting = [archive.root]
    while let next = waiting.popLast() {
      guard let object = next.object, seen.insert(object).inserted else { continue }
      _ = try archive.className(of: object)
      waiting += try archive.elements(of: object)
      waiting += try archive.members(of: object).map(\.value)
    }
  }
}

/// Decodes a bitmap in two ways that must agree.
///
/// The first three bytes are the numbers of properties, of further leaves of composites, and of to-many
/// relationships.
func fuzzBitmap(_ bytes: [UInt8]) throws {
  guard bytes.count >= 3 else { return }
  let names = (0..<Int(bytes[0])).map { "property \($0)" }
  let more = (0..<Int(bytes[1])).map { "leaf \($0)" }
  let toMany = (0..<Int(bytes[2])).map { "relationship \($0)" }
  let slots = BitmapSlots(
    names: names,
    leafNames: more.isEmpty ? nil : names + more,
    toMany: toMany
  )
  let bitmap = Array(bytes[3...])
  let text = bitmap.map { byte in
    let digits = String(byte, radix: 2)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }.joined()
  let bits = text.enumerated().filter { $0.element == "1" }.map(\.offset)
  let fitting = Set(
    [names, names + more].filter { ($0.count + toMany.count + 7) / 8 == bitmap.count }
  )
  switch bitmap.withUnsafeBytes({ slots.decode($0) }) {
  case .success(let named):
    guard let all = fitting.first, fitting.count == 1,
      named.properties == bits.filter({ $0 < all.count }).map({ all[$0] }),
      named.toManyCount == bits.count(where: { $0 >= all.count }),
      bits.allSatisfy({ $0 < all.count + toMany.count })
    else { throw FuzzFinding(message: "The bitmap names \(named).") }
  case .failure(let error):
    let isRight =
      switch error.reason {
      case .length: fitting.isEmpty
      case .ambiguousComposites: fitting.count == 2
      case .extraBits:
        fitting.count == 1 && bits.contains { $0 >= (fitting.first ?? []).count + toMany.count }
      }
    guard isRight else { throw FuzzFinding(message: "The bitmap is refused: \(error.reason).") }
  }
}

/// Decompresses with limits around the size of the result: exactly the lower ones must be refused.
func fuzzDeflate(_ bytes: [UInt8]) throws {
  let enough = 1 << 20
  func inflate(_ bytes: [UInt8], limit: Int) throws -> [UInt8]? {
    var result: [UInt8]?
    try refusing { result = try inflated(bytes, limit: limit, describing: "The model") }
    return result
  }
  guard let result = try inflate(bytes, limit: enough) else { return }
  let isRight =
    try inflate(bytes, limit: result.count) == result
    && (result.isEmpty || inflate(bytes, limit: result.count - 1) == nil)
    && inflate(bytes + [0, 255], limit: enough) == result
  guard isRight else { throw FuzzFinding(message: "\(result.count) bytes are not the limit.") }
}

/// A leaf must be JSON in our canonical form, which has the bytes as JSON or as base64.
func fuzzLeaf(_ bytes: [UInt8]) throws {
  func check(_ json: String) throws {
    // It has one spelling, and can be read again.
    guard let canonical = try? canonicalJSON(json.utf8), canonical.elementsEqual(json.utf8) else {
      throw FuzzFinding(message: "\(json.prefix(80)) is not canonical.")
    }
  }
  if let json = bytes.withUnsafeBytes({ archivedJSON($0) }) { try check(json) }
  let leaf = AppleAttribute(name: "leaf", kind: .binary)
  let composite = AppleAttribute(name: "all", kind: .composite, elements: [leaf])
  guard case .text(let json) = compositeValue(composite, [.blob(Data(bytes))]) else {
    throw FuzzFinding(message: "A composite with a value is null.")
  }
  try check(json)
  let whole = "{\"leaf\":\"\(Data(bytes).base64EncodedString())\"}"
  guard json != whole else { return }
  let embedded = try? canonicalJSON(bytes)
  guard let embedded, json == "{\"leaf\":" + String(decoding: embedded, as: UTF8.self) + "}" else {
    throw FuzzFinding(message: "\(json.prefix(80)) has other bytes.")
  }
}

/// A value is what follows its tag, or the name of a file in the folder, or stays as it is.
func fuzzTag(_ bytes: [UInt8]) throws {
  let value = Value.blob(Data(bytes))
  let folder = ExternalFolder(besideStore: "/nowhere/Music.sqlite")
  switch try folder.value(value) {
  case .value(let rest):
    guard bytes.first == 1, rest == .blob(Data(bytes.dropFirst())) else {
      throw FuzzFinding(message: "The value is \(rest).")
    }
  case .missing(let name):
    guard bytes == [2] + name.utf8 + [0], name.utf8.count == 36,
      name.utf8.allSatisfy({ $0 == 0x2d || UInt8(ascii: "0")...0x66 ~= $0 && $0 != 0x2f })
    else { throw FuzzFinding(message: "The file is \(name).") }
  case .special(let same):
    guard same == value else { throw FuzzFinding(message: "The bytes are \(same).") }
  case .file(let file): throw FuzzFinding(message: "\(file.path) exists.")
  }
}
