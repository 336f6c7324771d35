import Foundation
import SwiftData

/// The history of a JSON store, in a file beside it.
struct JSONHistoryFile: Codable {
  /// The number of the last save, even if its transaction was deleted.
  var last = 0
  var transactions: [Transaction] = []

  struct Transaction: Codable {
    var number: Int
    var timestamp: Date
    var author: String?
    var changes: [Change]
  }

  /// The changed properties of an object as JSON.
  ///
  /// An insertion has only values after the change, and a deletion has only values before it.
  struct Change: Codable {
    var object: PersistentIdentifier
    var before: [String: JSONValue]?
    var after: [String: JSONValue]?
  }
}

/// A JSON value of any kind.
enum JSONValue: Codable, Equatable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let bool = try? container.decode(Bool.self) {
      self = .bool(bool)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([JSONValue].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let bool): try container.encode(bool)
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .list(let list): try container.encode(list)
    case .object(let object): try container.encode(object)
    }
  }

  /// The JSON value as a value of an expected type; nil for null.
  func value(as type: Any.Type) -> (any Sendable)? {
    let plain: [any (Decodable & Sendable).Type] = [
      Bool.self, Int.self, Double.self, String.self, Date.self, UUID.self, Bool?.self, Int?.self,
      Double?.self, String?.self, Date?.self, UUID?.self,
    ]
    func decode<Value: Decodable & Sendable>(_: Value.Type) -> Value? {
      // A value of another type is returned unchanged.
      try? JSONDecoder().decode(Value.self, from: JSONEncoder().encode(self))
    }
    switch self {
    case .null: return nil
    case .object:
      return decode(PersistentIdentifier.self)
    case .list:
      return decode([PersistentIdentifier].self) ?? decode([String].self) ?? decode([Double].self)
    default: break
    }
    if let known = plain.first(where: { $0 == type }), let value = decode(known) {
      return unwrap(value)
    }
    switch self {
    case .bool(let bool): return bool
    case .number(let number): return number
    case .text(let text): return text
    default: return nil
    }
  }

  private func unwrap(_ value: any Sendable) -> any Sendable {
    switch value {
    case let date as Date: date
    case let identifier as UUID: identifier
    case let text as String: text
    case let bool as Bool: bool
    case let integer as Int: integer
    case let number as Double: number
    default: value
    }
  }
}
