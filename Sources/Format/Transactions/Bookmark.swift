import FoundationEssentials

/// A token: the last handled transactions of one or several stores.
///
/// A bookmark is written as a JSON object that people and other programs can read:
///
/// ```
/// {"kind":"travelog-token","version":1,"store":"…","stores":{"…":{"lineage":0,"transaction":7,
/// "digest":"…"}}}
/// ```
///
/// The digest shows whether a store still has the history that was handled; see
/// ``Reader/check(_:)``.
package struct Bookmark: Hashable, Sendable {
  /// The identifier of the store to which the token belongs.
  package let store: String
  /// The last handled transaction of each store, by identifier; ``store`` is one of the
  /// identifiers.
  package let points: [String: HistoryPoint]

  /// Creates a token.
  ///
  /// The points must contain the token's store.
  package init(store: String, points: [String: HistoryPoint]) {
    self.store = store
    self.points = points
  }

  /// The canonical text of this token, with a line break at the end.
  package func json() -> [UInt8] {
    var text = Array(#"{"kind":"\#(Self.kind)","version":\#(Self.version),"store":"#.utf8)
    appendJSONString(store, to: &text)
    text += #","stores":{"#.utf8
    // The identifiers are compared as bytes, so every program gets the same order.
    let sorted = points.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for (index, (store, point)) in sorted.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      appendJSONString(store, to: &text)
      text += #":{"lineage":\#(point.lineage),"transaction":\#(point.transaction),"digest":""#.utf8
      point.digest.appendHexadecimal(to: &text)
      text += #""}"#.utf8
    }
    text += "}}\n".utf8
    return text
  }

  /// Reads a token, and refuses texts that are not tokens.
  ///
  /// Blanks and the order of keys do not matter, because people may edit the file.
  ///
  /// - Throws: ``StoreError`` with ``StoreError/Code/damaged``, or ``StoreError/Code/newerFormat``
  ///   if a newer program wrote the token.
  package init(json: some Sequence<UInt8>) throws {
    do {
      // `JSONDecoder` silently accepts duplicate keys, but `canonicalJSON` refuses them.
      self = try JSONDecoder().decode(Self.self, from: Data(canonicalJSON(json)))
    } catch let error as DecodingError {
      let context = error.context
      if let refusal = context.underlyingError as? StoreError { throw refusal }
      let place = context.codingPath.map(\.stringValue).joined(separator: ".")
      let detail = "\(place): \(context.debugDescription)"
      throw Self.unreadable(detail, cause: error)
    } catch {
      throw Self.unreadable("\(error)", cause: error)
    }
  }

  private static func unreadable(_ detail: String, cause: any Error) -> StoreError {
    StoreError(.damaged, cause: cause) {
      "The history token can't be read (\(abbreviated(detail))).\n\(delete)"
    }
  }
}

/// What to do with a token that is damaged.
private let delete = "The token was damaged or altered; delete the token."

extension DecodingError {
  fileprivate var context: Context {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context),
      .keyNotFound(_, let context), .dataCorrupted(let context):
      context
    @unknown default: Context(codingPath: [], debugDescription: "\(self)")
    }
  }
}

extension Bookmark: Codable {
  private static let kind = "travelog-token"
  private static let version = 1

  /// A key in the JSON text of the token, or the identifier of a store.
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.kind, forKey: Key("kind"))
    try container.encode(Self.version, forKey: Key("version"))
    try container.encode(store, forKey: Key("store"))
    var stores = container.nestedContainer(keyedBy: Key.self, forKey: Key("stores"))
    for (store, point) in points.sorted(by: { $0.key < $1.key }) {
      try stores.encode(point, forKey: Key(store))
    }
  }

  /// Reads a token, and refuses texts that are not tokens.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let kind = try container.decodeIfPresent(String.self, forKey: Key("kind"))
    guard kind == Self.kind else {
      throw Self.refusal(container) {
        "This is not a history token: its kind is \(abbreviated(kind ?? "missing")), not"
          + " \(Self.kind).\n\(delete)"
      }
    }
    let version = try container.decode(Int.self, forKey: Key("version"))
    guard version == Self.version else {
      throw Self.refusal(container, .newerFormat) {
        "The history token has version \(version); this program reads version \(Self.version)."
      }
    }
    try Self.check(container, has: ["kind", "version", "store", "stores"])
    store = try container.decode(String.self, forKey: Key("store"))
    let stores = try container.nestedContainer(keyedBy: Key.self, forKey: Key("stores"))
    var points: [String: HistoryPoint] = [:]
    for key in stores.allKeys {
      let place = try stores.nestedContainer(keyedBy: Key.self, forKey: key)
      try Self.check(place, has: ["lineage", "transaction", "digest"])
      points[key.stringValue] = try Self.point(place)
    }
    self.points = points
    guard points[store] != nil else {
      throw Self.refusal(stores) {
        "The history token names the store \(abbreviated(store)), but contains no position for"
          + " this store.\n\(delete)"
      }
    }
  }

  private static func point(_ place: KeyedDecodingContainer<Key>) throws -> HistoryPoint {
    let lineage = try place.decode(Int64.self, forKey: Key("lineage"))
    let transaction = try place.decode(Int64.self, forKey: Key("transaction"))
    let text = try place.decode(String.self, forKey: Key("digest"))
    // Callers add 1 to these numbers, and the sums must not overflow.
    guard lineage >= 0, transaction >= 0, max(lineage, transaction) < 1 << 62,
      let digest = Digest(hexadecimal: text)
    else {
      throw refusal(place) {
        "The history token has an impossible position: lineage \(lineage), transaction"
          + " \(transaction), digest \(abbreviated(text)).\n\(delete)"
      }
    }
    return HistoryPoint(lineage: lineage, transaction: transaction, digest: digest)
  }

  private static func check(
    _ container: KeyedDecodingContainer<Key>,
    has names: Set<String>
  ) throws {
    let found = Set(container.allKeys.map(\.stringValue))
    guard found != names else { return }
    let missing = names.subtracting(found).sorted()
    let unknown = found.subtracting(names).sorted()
    throw refusal(container) {
      unknown.isEmpty
        ? "The history token lacks the keys [\(listText(missing))].\n\(delete)"
        : "The history token has the unknown keys"
          + " [\(listText(unknown.map(abbreviated)))].\n\(delete)"
    }
  }

  /// An error of decoding whose cause is a ``StoreError``.
  private static func refusal(
    _ container: KeyedDecodingContainer<Key>,
    _ code: StoreError.Code = .damaged,
    _ wording: () -> Wording
  ) -> DecodingError {
    let error = StoreError(code, wording)
    return .dataCorrupted(
      .init(
        codingPath: container.codingPath,
        debugDescription: error.description,
        underlyingError: error
      )
    )
  }
}
