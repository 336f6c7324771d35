@testable import Format

/// The texts of a change, which are joined in one buffer while the change is used.
struct SampleChange {
  var kind = ChangeKind.insert
  var sequence: Int64 = 0
  var entity = "Trip"
  var object: Int64 = 7
  var changed = ""
  var before = ""
  var after = ""
  var special = ""
  var large = ""

  static let insert = SampleChange(
    after: #"{"name":"ab","startDate":"2026-09-19T12:00:00Z","rating":4.5,"#
      + #""leader":{"entity":"Person","id":"12"}}"#
  )

  static let update = SampleChange(
    kind: .update,
    changed: #"["name","leader"]"#,
    before: #"{"name":"ab","leader":null}"#,
    after: #"{"name":"cd","leader":{"entity":"Person","id":"-3"}}"#
  )

  static let delete = SampleChange(
    kind: .delete,
    before: #"{"name":"ab","startDate":"2026-09-19T12:00:00Z","rating":null,"leader":null}"#
  )

  static let links = SampleChange(
    kind: .update,
    entity: "Tag",
    changed: #"["trips"]"#,
    before: #"{"trips":[]}"#,
    after: #"{"trips":[{"entity":"Trip","id":"1"},{"entity":"Trip","id":"2"}]}"#
  )

  static let noted = SampleChange(
    kind: .update,
    changed: #"["name","rating"]"#,
    before: #"{"name":null,"rating":1.0}"#,
    after: #"{"name":null,"rating":null}"#,
    special: #"{"after":{"rating":"nan"},"before":{"name":"erased"}}"#,
    large: #"{"after":{"name":{"sha256":""# + String(repeating: "0a", count: 32)
      + #"","size":2000000}}}"#
  )

  static let all = [insert, update, delete, links, noted]

  static let texts: [WritableKeyPath<SampleChange, String> & Sendable] = [
    \.entity, \.changed, \.before, \.after, \.special, \.large,
  ]

  func withChange<Result>(_ body: (Change) throws -> Result) rethrows -> Result {
    let parts = Self.texts.map { Array(self[keyPath: $0].utf8) }
    return try parts.flatMap(\.self).withUnsafeBytes { bytes in
      var start = 0
      let texts = parts.map { part in
        defer { start += part.count }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + part.count])
      }
      return try body(
        Change(
          kind: kind,
          sequence: sequence,
          entity: texts[0],
          object: object,
          changed: texts[1],
          before: texts[2],
          after: texts[3],
          special: texts[4],
          large: texts[5]
        )
      )
    }
  }
}
