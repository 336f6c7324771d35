import Foundation
import SwiftData

/// A bookmark: the last transaction of each store that it covers.
struct JSONHistoryToken: HistoryToken {
  var tokenValue: [String: Int]?

  var id: Int { tokenValue?.values.reduce(0, +) ?? 0 }

  /// Combines two bookmarks, for a container with several stores: the result covers everything that
  /// either of them covers.
  func covering(_ other: JSONHistoryToken) -> JSONHistoryToken {
    JSONHistoryToken(
      tokenValue: (tokenValue ?? [:]).merging(other.tokenValue ?? [:], uniquingKeysWith: max)
    )
  }

  /// Whether the left bookmark is at an earlier position than the right one.
  ///
  /// Only the stores of the bookmark with fewer stores are compared, so a bookmark of one store can
  /// be compared with a bookmark of several stores.
  static func < (left: JSONHistoryToken, right: JSONHistoryToken) -> Bool {
    let (first, second) = (left.tokenValue ?? [:], right.tokenValue ?? [:])
    let stores = first.count <= second.count ? first.keys : second.keys
    let places = stores.map { (first[$0] ?? 0, second[$0] ?? 0) }
    return places.contains { $0 < $1 } && !places.contains { $0 > $1 }
  }
}

/// One save of a JSON store.
struct JSONHistoryTransaction: HistoryTransaction {
  let author: String?
  let changes: [HistoryChange]
  let storeIdentifier: String
  let timestamp: Date
  let transactionIdentifier: Int

  var id: Int { transactionIdentifier }
  var token: JSONHistoryToken { JSONHistoryToken(tokenValue: [storeIdentifier: id]) }

  static func == (left: JSONHistoryTransaction, right: JSONHistoryTransaction) -> Bool {
    left.token == right.token
  }

  func hash(into hasher: inout Hasher) { hasher.combine(token) }
}

struct JSONHistoryInsert<Model: PersistentModel>: HistoryInsert, HistoryValueProviding {
  let transactionIdentifier: Int
  let changeIdentifier: Int
  let changedPersistentIdentifier: PersistentIdentifier
  let valuesByName: [String: any Sendable]
  var previousValuesByName: [String: any Sendable] { [:] }
}

struct JSONHistoryUpdate<Model: PersistentModel>: HistoryUpdate, HistoryValueProviding {
  let transactionIdentifier: Int
  let changeIdentifier: Int
  let changedPersistentIdentifier: PersistentIdentifier
  let updatedAttributes: [any PartialKeyPath<Model> & Sendable]
  let valuesByName: [String: any Sendable]
  let previousValuesByName: [String: any Sendable]
}

struct JSONHistoryDelete<Model: PersistentModel>: HistoryDelete, HistoryValueProviding {
  let transactionIdentifier: Int
  let changeIdentifier: Int
  let changedPersistentIdentifier: PersistentIdentifier
  let previousValuesByName: [String: any Sendable]
  var valuesByName: [String: any Sendable] { [:] }
  var tombstone: HistoryTombstone<Model> { HistoryTombstone(HistoryValues(previousValuesByName)) }
}
