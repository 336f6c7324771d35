import Format
import Store

/// A bookmark in the history of a container's native stores.
///
/// For each store, a token covers all transactions up to a certain one, and contains the digest of
/// that transaction. The digest shows whether the store was later restored from an older copy. The
/// token can't be used for other stores.
///
/// ```swift
/// let data = try JSONEncoder().encode(token)
/// let stored = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
/// ```
///
/// Of two tokens for the same stores, the token that covers more transactions is greater. If each
/// token covers transactions that the other token does not cover, the order depends on one store:
/// of the stores for which the tokens differ, the one with the lowest identifier. A token that does
/// not contain a store covers no transaction of that store.
public struct DefaultHistoryToken: HistoryToken {
  let bookmark: Bookmark
  /// Whether this token was made to evaluate a predicate in memory.
  ///
  /// Such a token represents only its own transaction. A comparison finds whether the other token
  /// covers it.
  let standsAlone: Bool

  init(_ bookmark: Bookmark, standsAlone: Bool = false) {
    self.bookmark = bookmark
    self.standsAlone = standsAlone
  }

  init(storeIdentifier: String, points: [String: HistoryPoint], standsAlone: Bool = false) {
    self.init(Bookmark(store: storeIdentifier, points: points), standsAlone: standsAlone)
  }

  /// The identifier of the store that contains the token's own transaction; never empty.
  public var storeIdentifier: String { bookmark.store }
  var points: [String: HistoryPoint] { bookmark.points }

  /// The id of the last covered transaction of each store, by store identifier; never nil.
  public var tokenValue: [String: Int64]? { points.mapValues(\.transaction) }

  /// A number that is the same for equal tokens in all processes.
  public var id: Int {
    guard let bytes = point?.digest.bytes else { return 0 }
    return bytes.prefix(8).reduce(0) { $0 << 8 | Int($1) }
  }

  private var point: HistoryPoint? { points[storeIdentifier] }

  /// Whether two tokens belong to the same transaction and cover the same transactions.
  public static func == (left: DefaultHistoryToken, right: DefaultHistoryToken) -> Bool {
    guard left.storeIdentifier == right.storeIdentifier else { return false }
    if left.standsAlone || right.standsAlone { return left.point == right.point }
    return left.points == right.points
  }

  /// Hashes only the token's own transaction.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(storeIdentifier)
    hasher.combine(point)
  }

  /// Whether the left token covers less than the right token; ``DefaultHistoryToken`` explains the
  /// order of tokens for several stores.
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

  /// Whether the left point precedes the right point; nil if the points are equal.
  private static func isBefore(_ left: HistoryPoint?, _ right: HistoryPoint?) -> Bool? {
    guard left != right else { return nil }
    let first = (left?.lineage ?? -1, left?.transaction ?? 0)
    let second = (right?.lineage ?? -1, right?.transaction ?? 0)
    if first != second { return first < second }
    // The points have the same numbers in different histories, so any order that never changes is
    // correct.
    return (left?.digest.description ?? "") < (right?.digest.description ?? "")
  }
}

extension DefaultHistoryToken: Codable {
  /// Encodes the token.
  public func encode(to encoder: any Encoder) throws { try bookmark.encode(to: encoder) }

  /// Decodes a token; rejects text that does not encode a token.
  public init(from decoder: any Decoder) throws { self.init(try Bookmark(from: decoder)) }
}

extension DefaultHistoryToken: CustomStringConvertible {
  /// The last transaction that the token covers in each store, as a text.
  public var description: String {
    let places = points.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.transaction)" }
    return "token(\(places.joined(separator: ", ")))"
  }
}
