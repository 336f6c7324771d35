import Changes
import Store

/// A bookmark in the history of the stores of a container: how far each of them was read.
///
/// A token belongs to its stores and is of no use for others. It covers, for each store, all up to a
/// transaction, and knows that transaction's digest, so that a store which was restored from an
/// older copy is recognized.
///
/// ```swift
/// settings.set(try JSONEncoder().encode(token), forKey: "token")
/// ```
///
/// Tokens are ordered. Of two tokens of the same stores, one that covers all that the other covers,
/// and more, is the greater one. Where neither covers the other, which takes several stores, the
/// first store by identifier in which they differ decides; so it does, with a store that a token
/// does not know counting as not read at all, between tokens of different stores.
public struct DefaultHistoryToken: HistoryToken {
  /// How far each store is covered.
  let bookmark: Bookmark
  /// True for the token of a transaction whose predicate is being evaluated: it stands for that
  /// transaction alone, so that other tokens are asked whether they cover it.
  let standsAlone: Bool

  init(_ bookmark: Bookmark, standsAlone: Bool = false) {
    self.bookmark = bookmark
    self.standsAlone = standsAlone
  }

  init(storeIdentifier: String, points: [String: HistoryPoint], standsAlone: Bool = false) {
    self.init(Bookmark(store: storeIdentifier, points: points), standsAlone: standsAlone)
  }

  /// The store whose transaction the token was taken from.
  public var storeIdentifier: String { bookmark.store }
  /// How far each store is covered, by its identifier.
  var points: [String: HistoryPoint] { bookmark.points }

  /// The last transaction that is covered of each store, by the store's identifier.
  public var tokenValue: [String: Int64]? { points.mapValues(\.transaction) }

  /// A number that is the same for equal tokens, in each process.
  public var id: Int {
    guard let bytes = point?.digest.bytes else { return 0 }
    return bytes.prefix(8).reduce(0) { $0 << 8 | Int($1) }
  }

  /// The point in the store that the token was taken from.
  private var point: HistoryPoint? { points[storeIdentifier] }

  /// Tells whether two tokens were taken from the same transaction and cover the same.
  public static func == (left: DefaultHistoryToken, right: DefaultHistoryToken) -> Bool {
    guard left.storeIdentifier == right.storeIdentifier else { return false }
    if left.standsAlone || right.standsAlone { return left.point == right.point }
    return left.points == right.points
  }

  /// Hashes the transaction that the token was taken from.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(storeIdentifier)
    hasher.combine(point)
  }

  /// Tells whether one token is before another.
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

  /// Tells whether one point is before another; nil if both are the same.
  private static func isBefore(_ left: HistoryPoint?, _ right: HistoryPoint?) -> Bool? {
    guard left != right else { return nil }
    let first = (left?.lineage ?? -1, left?.transaction ?? 0)
    let second = (right?.lineage ?? -1, right?.transaction ?? 0)
    if first != second { return first < second }
    // Two histories that went apart: any order will do, if it is always the same.
    return (left?.digest.description ?? "") < (right?.digest.description ?? "")
  }
}

extension DefaultHistoryToken: Codable {
  /// Writes the token.
  public func encode(to encoder: any Encoder) throws { try bookmark.encode(to: encoder) }

  /// Reads a token, and refuses what none would be written as.
  public init(from decoder: any Decoder) throws { self.init(try Bookmark(from: decoder)) }
}

extension DefaultHistoryToken: CustomStringConvertible {
  /// The last transaction that is covered of each store.
  public var description: String {
    let places = points.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.transaction)" }
    return "token(\(places.joined(separator: ", ")))"
  }
}
