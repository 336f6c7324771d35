/// How a transaction of a history file was read from its database, which another program writes.
package struct Reading: Hashable, Sendable {
  /// Whether the transaction is one commit of the program; otherwise it has everything between two
  /// readings.
  package let isCommit: Bool
  /// The time of the reading before; the transaction has the time of its own reading.
  package let since: String
  /// What the reading found, besides the rows; nil if it found nothing unusual.
  package let remark: String?

  package init(isCommit: Bool, since: String, remark: String? = nil) {
    self.isCommit = isCommit
    self.since = since
    self.remark = remark
  }

  /// The text for ``Transaction/details``.
  package var details: String {
    String(
      decoding: Array(#"{"boundary":"proven","#.utf8) + member + [UInt8(ascii: "}")],
      as: UTF8.self
    )
  }

  /// The keys and values of the details, without braces.
  package var member: [UInt8] {
    var bytes = Array(#""read":"\#(isCommit ? "commit" : "comparison")","since":"#.utf8)
    appendJSONString(since, to: &bytes)
    if let remark {
      bytes += #","remark":"#.utf8
      appendJSONString(remark, to: &bytes)
    }
    return bytes
  }
}

extension Transaction {
  /// How the transaction was read from a database; nil if a program or a trigger recorded it.
  package var reading: Reading? {
    guard operation == .foreign || operation == .difference, let details else { return nil }
    let text = CanonicalText(Array(details.utf8))
    func string(_ key: String) -> String? {
      text.value(of: key).flatMap { $0.withUnsafeBytes { parseJSONString($0) } }
    }
    guard let way = string("read"), let since = string("since"),
      ["commit", "comparison"].contains(way)
    else { return nil }
    return Reading(isCommit: way == "commit", since: since, remark: string("remark"))
  }
}
