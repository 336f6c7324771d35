import Store

// {"kind":"travelog-token","version":1,"store":"…","stores":{"…":{"lineage":0,"transaction":7,
// "digest":"…"}}}: what it is, the store that it was taken from, and how far each is covered.
extension DefaultHistoryToken: Codable {
  private static let kind = "travelog-token"
  private static let version = 1

  /// A name in the token, or the identifier of a store.
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Writes the token.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.kind, forKey: Key("kind"))
    try container.encode(Self.version, forKey: Key("version"))
    try container.encode(storeIdentifier, forKey: Key("store"))
    var stores = container.nestedContainer(keyedBy: Key.self, forKey: Key("stores"))
    for (store, point) in points.sorted(by: { $0.key < $1.key }) {
      var place = stores.nestedContainer(keyedBy: Key.self, forKey: Key(store))
      try place.encode(point.lineage, forKey: Key("lineage"))
      try place.encode(point.transaction, forKey: Key("transaction"))
      try place.encode(point.digest.description, forKey: Key("digest"))
    }
  }

  /// Reads a token, and refuses what none would be written as.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let kind = try container.decodeIfPresent(String.self, forKey: Key("kind"))
    guard kind == Self.kind else {
      throw Self.refusal(
        container,
        "This is no history token: its kind is \(kind ?? "missing"), not \(Self.kind). Pass what"
          + " was encoded from a DefaultHistoryToken."
      )
    }
    let version = try container.decode(Int.self, forKey: Key("version"))
    guard version == Self.version else {
      throw Self.refusal(
        container,
        "The history token has version \(version), and this program knows version"
          + " \(Self.version). Use the program that wrote it, or a newer one."
      )
    }
    try Self.check(container, has: ["kind", "version", "store", "stores"])
    storeIdentifier = try container.decode(String.self, forKey: Key("store"))
    let stores = try container.nestedContainer(keyedBy: Key.self, forKey: Key("stores"))
    var points: [String: HistoryPoint] = [:]
    for key in stores.allKeys {
      let place = try stores.nestedContainer(keyedBy: Key.self, forKey: key)
      try Self.check(place, has: ["lineage", "transaction", "digest"])
      points[key.stringValue] = try Self.point(place)
    }
    guard points[storeIdentifier] != nil else {
      throw Self.refusal(
        stores,
        "The history token was taken from the store \(storeIdentifier), and does not say how far it"
          + " covers that store. It was altered; discard it."
      )
    }
    self.points = points
    standsAlone = false
  }

  private static func point(_ place: KeyedDecodingContainer<Key>) throws -> HistoryPoint {
    let lineage = try place.decode(Int64.self, forKey: Key("lineage"))
    let transaction = try place.decode(Int64.self, forKey: Key("transaction"))
    let text = try place.decode(String.self, forKey: Key("digest"))
    guard lineage >= 0, transaction >= 0, let digest = Digest(hexadecimal: text) else {
      throw refusal(
        place,
        "The history token has a place that can't be: lineage \(lineage), transaction"
          + " \(transaction), digest \(text.prefix(80)). It was altered; discard it."
      )
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
    throw refusal(
      container,
      "The history token lacks [\(missing.joined(separator: ", "))] and has"
        + " [\(unknown.joined(separator: ", "))] that none has. It was altered; discard it."
    )
  }

  private static func refusal(
    _ container: KeyedDecodingContainer<Key>,
    _ sentence: String
  ) -> DecodingError {
    .dataCorrupted(.init(codingPath: container.codingPath, debugDescription: sentence))
  }
}
