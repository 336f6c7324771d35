import Format

/// What an export leaves out of the logs.
///
/// Filtered logs can't be replayed.
package struct ExportFilter: Hashable, Sendable {
  /// Properties whose values are hidden.
  package struct Redaction: Hashable, Sendable {
    package enum Manner: String, Hashable, Sendable, CaseIterable {
      case drop
      /// A keyed digest, which shows whether two values are equal.
      case hash
    }

    /// The name of an entity.
    ///
    /// A redaction applies to all entities in the family of its entity.
    package var entity: String
    /// The name of an attribute or of a to-one relationship.
    package var attribute: String
    package var manner: Manner

    package init(entity: String, attribute: String, manner: Manner) {
      self.entity = entity
      self.attribute = attribute
      self.manner = manner
    }
  }

  /// The authors whose transactions are exported; empty for all authors.
  ///
  /// An empty text selects transactions without an author.
  package var authors: [String] = []
  /// The reasons of the transactions that are exported; empty for all reasons.
  ///
  /// An empty text selects transactions without a reason.
  package var reasons: [String] = []
  /// The requests of the transactions that are exported; empty for all requests.
  ///
  /// An empty text selects transactions without a request.
  package var requests: [String] = []
  /// The entities whose changes are exported; empty for all entities.
  ///
  /// Changes of entities that inherit from an exported entity are exported too.
  package var entities: [String] = []
  package var redactions: [Redaction] = []
  /// The key of the digests that replace values.
  package var key: [UInt8] = []

  package init() {}

  package var isEmpty: Bool {
    authors.isEmpty && reasons.isEmpty && requests.isEmpty && entities.isEmpty
      && redactions.isEmpty
  }

  /// Whether the filter selects a transaction, by the facts in the transaction's closing line.
  func matches(_ transaction: Transaction) -> Bool {
    func isWanted(_ text: String?, in texts: [String]) -> Bool {
      texts.isEmpty || texts.contains(text ?? "")
    }
    return isWanted(transaction.author, in: authors)
      && isWanted(transaction.reason, in: reasons)
      && isWanted(transaction.request, in: requests)
  }

  /// A description of the filter.
  ///
  /// The description does not depend on the order in which the filter lists its parts.
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
    if !reasons.isEmpty { parts.append("reasons \(list(reasons))") }
    if !requests.isEmpty { parts.append("requests \(list(requests))") }
    if !entities.isEmpty { parts.append("entities \(list(entities))") }
    for manner in Redaction.Manner.allCases {
      let names = redactions.filter { $0.manner == manner }.map { "\($0.entity).\($0.attribute)" }
      guard !names.isEmpty else { continue }
      // The description contains a digest of the key, because filters with different keys need
      // different descriptions.
      let digest = keyedDigest(of: Array("travelog redaction key".utf8), key: key)
      let keyed = manner == .hash ? " by the key \(digest.description.prefix(8))" : ""
      parts.append("\(manner == .drop ? "dropped" : "hashed") \(list(names))\(keyed)")
    }
    return parts.joined(separator: "; ")
  }

  /// Throws if the filter contains a name that no schema of the history has.
  func check(_ schemas: [StoreSchema], path: String) throws {
    for entity in entities {
      try checkEntity(entity, schemas: schemas, path: path)
      try checkIsNotRenamed(entity, schemas: schemas) { "--entity \(inShell($0))" }
    }
    for redaction in redactions {
      try checkEntity(redaction.entity, schemas: schemas, path: path)
      try checkProperty(redaction.attribute, of: redaction.entity, schemas: schemas, path: path)
      // Under its earlier name, the filter would not find the property any more.
      try checkIsNotRenamed(redaction.entity, property: redaction.attribute, schemas: schemas) {
        "--redact \(inShell($0))=\(redaction.manner.rawValue)"
      }
      try checkIsNotKey(
        redaction.attribute,
        of: redaction.entity,
        schemas: schemas,
        flag: "--redact \(redaction.entity).\(redaction.attribute)"
      )
      let others = redactions.filter {
        $0.entity == redaction.entity && $0.attribute == redaction.attribute
      }
      guard others.allSatisfy({ $0.manner == redaction.manner }) else {
        throw PipelineError(.misuse) {
          "\(redaction.entity).\(redaction.attribute) can't be both dropped and hashed."
            + "\nName the attribute only once with --redact."
        }
      }
    }
    guard redactions.allSatisfy({ $0.manner == .drop }) || !key.isEmpty else {
      throw PipelineError(.misuse) {
        "Values can't be hashed without a key, because anyone could guess the values."
          + "\nGive --redact-key with a file of random bytes."
      }
    }
  }
}
