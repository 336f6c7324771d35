import Changes
import Store

/// A bookmark in the history of a container's native stores.
///
/// A token covers, for each store, all transactions up to one, and contains that transaction's
/// digest, so that a store that was restored from an older copy is recognized. It can't be used for
/// other stores.
///
/// ```swift
/// let data = try JSONEncoder().encode(token)
/// let stored = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
/// ```
///
/// Of two tokens of the same stores, one that covers more is greater. If neither covers the other,
/// the first store by identifier in which they differ decides. A store that a token does not
/// contain counts as not read.
public struct DefaultHistoryToken: HistoryToken {
  let bookmark: Bookmark
  /// Whether this is the token of a transaction whose predicate is evaluated: it represents only
  /// that transaction, and other tokens are asked whether they cover it.
  let standsAlone: Bool

  init(_ bookmark: Bookmark, standsAlone: Bool = false) {
    self.bookmark = bookmark
    self.standsAlone = standsAlone
  }

  init(storeIdentifier: String, points: [String: HistoryPoint], standsAlone: Bool = false) {
    self.init(Bookmark(store: storeIdentifier, points: points), standsAlone: standsAlone)
  }

  /// The identifier of the store with the token's transaction; tokens may cover others too.
  public var storeIdentifier: String { bookmark.store }
  var points: [String: HistoryPoint] { bookmark.points }

  /// The ids of the last covered transactions by store identifier; never nil.
  public var tokenValue: [String: Int64]? { points.mapValues(\.transaction) }

  /// A number that is the same for equal tokens, in every process.
  public var id: Int {
    guard let bytes = point?.digest.bytes else { return 0 }
    return bytes.prefix(8).reduce(0) { $0 << 8 | Int($1) }
  }

  private var point: HistoryPoint? { points[storeIdentifier] }

  /// Whether both tokens have the same transaction and cover the same transactions.
  public static func == (left: DefaultHistoryToken, right: DefaultHistoryToken) -> Bool {
    guard left.storeIdentifier == right.storeIdentifier else { return false }
    if left.standsAlone || right.standsAlone { return left.point == right.point }
    return left.points == right.points
  }

  /// Hashes the transaction of the token.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(storeIdentifier)
    hasher.combine(point)
  }

  /// Whether the left token covers less; see ``DefaultHistoryToken`` for tokens of several stores.
  public static func < (left: DefaultHistoryToken, right: DefaultHistoryToken) -> Bool {
    if left.standsAlone != right.standsAlone {
      let store = left.standsAlone ? left.storeIdentifier : right.storeIdentifier
      return isBefore(left.points[store], right.points[store]) ?? false
    }
    for store in Set(left.points.keys).union(right.points.keys).sorted() {
      if let answer = isBefore(left.points[store], right.points[store]) { return answer }
    }
    return left.storeIdentifier < right.storeIdentifier
  }

  /// Whether one point precedes another; nil if they are the same.
  private static func isBefore(_ left: HistoryPoint?, _ right: HistoryPoint?) -> Bool? {
    guard left != right else { return nil }
    let first = (left?.lineage ?? -1, left?.transaction ?? 0)
    let second = (right?.lineage ?? -1, right?.transaction ?? 0)
    if first != second { return first < second }
    // Different lineages: any stable order is correct.
    return (left?.digest.description ?? "") < (right?.digest.description ?? "")
  }
}

extension DefaultHistoryToken: Codable {
  /// Encodes the token.
  public func encode(to encoder: any Encoder) throws { try bookmark.encode(to: encoder) }

  /// Decodes a token; rejects text that encoding can't produce.
  public init(from decoder: any Decoder) throws { self.init(try Bookmark(from: decoder)) }
}

extension DefaultHistoryToken: CustomStringConvertible {
  /// The last covered transaction of each store.
  public var description: String {
    let places = points.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.transaction)" }
    return "token(\(places.joined(separator: ", ")))"
  }
}
