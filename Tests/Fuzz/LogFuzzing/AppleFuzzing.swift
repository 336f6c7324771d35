import AppleStores

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
