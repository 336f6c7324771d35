import AppleStores
import Format

/// What the details of a transaction say about the store of Apple's frameworks, in JSON.
struct AppleDetails {
  /// The largest number of changes that the details list.
  static let most = 1000

  private var members: [String: [UInt8]] = [:]
  private var unread: [[UInt8]] = []
  private var toMany: [[UInt8]] = []
  private var unreadCount = 0
  private var toManyCount = 0
  /// Where values after changes are from.
  enum Values: String {
    /// From the row, because no later change names the property.
    case resolved
    /// From the rows right after the transaction, which the write-ahead log still has.
    case recorded
  }

  /// Nil if no value after a change is known.
  var values: Values?

  init(_ transaction: AppleTransaction) {
    members["transaction"] = Array(String(transaction.number).utf8)
    if let context = transaction.context { set("context", context) }
    if let digest = transaction.migratedFrom { set("migratedFrom", digest) }
  }

  /// Details of the objects that existed before the first transaction of the store's history.
  init(before number: Int64) { members["before"] = Array(String(number).utf8) }

  /// Details of what history does not explain.
  init(rows: Int, properties: Int) {
    members["rows"] = Array(String(rows).utf8)
    members["properties"] = Array(String(properties).utf8)
  }

  /// Notes the facts about the model that history does not have yet.
  mutating func noteModel(_ progress: inout AppleProgress) {
    guard progress.isModelNoted != true else { return }
    progress.isModelNoted = true
    if let guess = progress.guess { set("guess", guess) }
    guard let loosened = progress.loosened, !loosened.isEmpty else { return }
    members["loosened"] = Self.list(
      loosened.map { rule in
        Self.object([
          ("count", Array(String(rule.count).utf8)), ("entity", Self.string(rule.entity)),
          ("property", Self.string(rule.property)), ("reason", Self.string(rule.reason.rawValue)),
        ])
      }
    )
  }

  /// Notes what can't be read of a change; `sequence` is nil if the transaction does not have it.
  mutating func noteUnread(_ change: AppleChange, _ sequence: Int64?, reason: String) {
    unreadCount += 1
    guard unread.count < Self.most else { return }
    let isWritten = sequence != nil && change.kind != nil && change.entity != nil
    var parts = [
      ("change", Array(String(change.number).utf8)), ("reason", Self.string(reason)),
    ]
    if let sequence, isWritten { parts.append(("seq", Array(String(sequence).utf8))) }
    unread.append(Self.object(parts))
  }

  /// Notes the to-many relationships of which only the number of changed ones is known.
  mutating func noteToMany(_ names: [String], count: Int, _ sequence: Int64) {
    toManyCount += 1
    guard toMany.count < Self.most else { return }
    toMany.append(
      Self.object([
        ("changed", Array(String(count).utf8)),
        ("of", Self.list(names.map(Self.string))),
        ("seq", Array(String(sequence).utf8)),
      ])
    )
  }

  /// The text for ``Transaction/details``.
  var json: String {
    var members = members
    if let values { members["values"] = Self.string(values.rawValue) }
    if !unread.isEmpty { members["unread"] = Self.list(unread) }
    if unreadCount > unread.count { members["unreadCount"] = Array(String(unreadCount).utf8) }
    if !toMany.isEmpty { members["toMany"] = Self.list(toMany) }
    if toManyCount > toMany.count { members["toManyCount"] = Array(String(toManyCount).utf8) }
    let sorted = members.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    return String(decoding: Self.object([("apple", Self.object(sorted))]), as: UTF8.self)
  }

  private mutating func set(_ key: String, _ text: String) { members[key] = Self.string(text) }

  private static func string(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    appendJSONString(text, to: &bytes)
    return bytes
  }

  private static func list(_ elements: [[UInt8]]) -> [UInt8] {
    [UInt8(ascii: "[")] + elements.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
  }

  private static func object(_ members: [(String, [UInt8])]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (key, value) in members { appendMember(memberKey(key), value: value, to: &bytes) }
    if bytes.isEmpty { bytes.append(UInt8(ascii: "{")) }
    return bytes + [UInt8(ascii: "}")]
  }
}
