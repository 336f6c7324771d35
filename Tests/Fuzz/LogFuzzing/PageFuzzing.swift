import Pages

/// Reads all that a database has, as its schema says, and with each page as the root of a tree.
func fuzzPages(_ bytes: [UInt8]) throws {
  try refusing { try readAll(DatabaseView(.bytes(bytes))) }
}

/// Reads the states of a database with a log: the log as it is, and with right checksums, so that
/// the code behind them is reached.
///
/// The first byte is the number of blocks of 512 bytes of the database; the rest is the log.
func fuzzWriteAheadLog(_ bytes: [UInt8]) throws {
  let size = min(Int(bytes.first ?? 0) * 512, max(0, bytes.count - 1))
  let file = ByteSource.bytes(Array(bytes.dropFirst().prefix(size)))
  let log = Array(bytes.dropFirst(1 + size))
  try refusing { try readStates(file, log) }
  try refusing { try readStates(file, withChecksums(log)) }
}

private func readStates(_ file: ByteSource, _ bytes: [UInt8]) throws {
  guard var log = try WriteAheadLog(.bytes(bytes)) else { return }
  guard try log.update() == .unchanged else {
    throw FuzzFinding(message: "The log has commits after its last commit.")
  }
  guard try log.commit(at: log.position) == log.commits.count else {
    throw FuzzFinding(message: "The position after the last commit is not in the log.")
  }
  try refusing { _ = try log.firstReadableCommit(in: file) }
  try refusing {
    guard let index = try LogIndex(.bytes(bytes), of: log.header) else { return }
    try log.removeCommits(after: index.lastCommittedFrame)
  }
  let last = try DatabaseView(file, log: log)
  try readAll(last)
  for commit in 0..<min(log.commits.count, 10) {
    try refusing {
      let view = try DatabaseView(file, log: log, commit: commit)
      try readAll(view)
      let comparison = try Comparison(view, last)
      for root in 1...min(max(1, last.pageCount), 20) {
        try refusing { _ = try comparison.isSame(tree: root, newRoot: root) }
        try refusing {
          guard try view.hasRowIDs(tree: root), try last.hasRowIDs(tree: root) else { return }
          var row: Int64?
          _ = try comparison.forEachChangedRow(ofTable: root, newRoot: root) {
            if let row, $0 <= row { throw FuzzFinding(message: "Row \($0) is not in order.") }
            row = $0
          }
        }
      }
    }
  }
}

private func readAll(_ view: DatabaseView) throws {
  try refusing { try view.forEachSchemaEntry { _ in } }
  try refusing { try view.forEachFreePage { _ in } }
  try refusing { try view.forEachDigest { _, _ in } }
  for page in 1...min(max(1, view.pageCount), 100) {
    try refusing { _ = try view.use(of: page) }
    try refusing { try readRows(view, page) }
    try refusing { _ = try view.digest(ofTree: page) }
    try refusing { try readLeaves(view, page) }
  }
}

private func readLeaves(_ view: DatabaseView, _ root: UInt32) throws {
  var last: Int64?
  try view.forEachLeaf(ofTable: root) { leaf in
    guard let rows = leaf.rows else { return }
    if let last, rows.lowerBound <= last {
      throw FuzzFinding(message: "Leaf \(leaf.page) is not in order.")
    }
    last = rows.upperBound
  }
}

private func readRows(_ view: DatabaseView, _ root: UInt32) throws {
  var rows = try Cursor(view, root: root)
  while try rows.next() {
    try refusing {
      for (column, field) in try rows.fields.enumerated() {
        var count = 0
        try rows.forEachPart(of: field) { count += $0.count }
        guard count == field.count, try rows.value(at: column) != nil else {
          throw FuzzFinding(message: "A value has \(count) bytes instead of \(field.count).")
        }
      }
    }
  }
}
