import ChangeLog
import Changes
import Store

/// What an export leaves out, so that its logs are partial: they can't be replayed.
package struct ExportFilter: Hashable, Sendable {
  /// Properties whose values are not to be seen.
  package struct Redaction: Hashable, Sendable {
    /// What stands in a value's place.
    package enum Manner: String, Hashable, Sendable, CaseIterable {
      /// That it was left out.
      case drop
      /// A keyed digest, which tells whether two values are the same.
      case hash
    }

    /// The entity; its whole family is meant.
    package var entity: String
    /// The attribute, or relationship to one.
    package var attribute: String
    /// What stands in a value's place.
    package var manner: Manner

    /// Names a property.
    package init(entity: String, attribute: String, manner: Manner) {
      self.entity = entity
      self.attribute = attribute
      self.manner = manner
    }
  }

  /// The authors whose transactions are exported, an empty text for none; all where there are none.
  package var authors: [String] = []
  /// The entities whose changes are exported, with their heirs; all where there are none.
  package var entities: [String] = []
  /// The properties whose values are not to be seen.
  package var redactions: [Redaction] = []
  /// The key of the digests that stand for values.
  package var key: [UInt8] = []

  /// Leaves nothing out.
  package init() {}

  /// Whether nothing is left out.
  package var isEmpty: Bool { authors.isEmpty && entities.isEmpty && redactions.isEmpty }

  /// What is left out, in words: the same for the same filter, whatever order it was given in.
  package var words: String {
    func list(_ texts: [String]) -> String {
      var bytes: [UInt8] = []
      for text in Set(texts).sorted() {
        if !bytes.isEmpty { bytes += ", ".utf8 }
        appendJSONString(text, to: &bytes)
      }
      return String(decoding: bytes, as: UTF8.self)
    }
    var parts: [String] = []
    if !authors.isEmpty { parts.append("authors \(list(authors))") }
    if !entities.isEmpty { parts.append("entities \(list(entities))") }
    for manner in Redaction.Manner.allCases {
      let names = redactions.filter { $0.manner == manner }.map { "\($0.entity).\($0.attribute)" }
      guard !names.isEmpty else { continue }
      // Another key makes other digests, which are no continuation of the first.
      let digest = keyedDigest(of: Array("travelog redaction key".utf8), key: key)
      let keyed = manner == .hash ? " by the key \(digest.description.prefix(8))" : ""
      parts.append("\(manner == .drop ? "dropped" : "hashed") \(list(names))\(keyed)")
    }
    return parts.joined(separator: "; ")
  }

  /// Fails where it names what a history never had.
  func check(_ schemas: [StoreSchema], path: String) throws {
    for entity in entities { try checkEntity(entity, schemas: schemas, path: path) }
    for redaction in redactions {
      try checkEntity(redaction.entity, schemas: schemas, path: path)
      try checkProperty(redaction.attribute, of: redaction.entity, schemas: schemas, path: path)
      let others = redactions.filter {
        $0.entity == redaction.entity && $0.attribute == redaction.attribute
      }
      guard others.allSatisfy({ $0.manner == redaction.manner }) else {
        throw PipelineError(.isDroppedAndHashed("\(redaction.entity).\(redaction.attribute)"))
      }
    }
    guard redactions.allSatisfy({ $0.manner == .drop }) || !key.isEmpty else {
      throw PipelineError(.hasNoKey)
    }
  }
}
