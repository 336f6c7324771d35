import Format
import SQLite

/// Checks the reference counts and the contents of large values.
extension StateCheck {
  private func countRows(_ body: (String, Int64) throws -> Void) throws {
    for layout in layouts {
      for column in layout.columns where column.isExternal {
        let condition = layout.ownCondition.map { " AND \($0)" } ?? ""
        let statement = try connection.prepare(
          "SELECT \(column.quoted), count(*) FROM \(layout.table)"
            + " WHERE typeof(\(column.quoted)) = 'text'\(condition) GROUP BY 1"
        )
        while try statement.step() {
          let digest = statement.string(at: 0)
          if Digest(hexadecimal: digest) != nil { try body(digest, statement.int64(at: 1)) }
        }
      }
    }
  }

  func checkBlobs(_ folder: BlobFolder?, _ body: (CheckFinding) throws -> Void) throws {
    try countRows { try known.count($0, rows: $1) }
    let stored = try connection.prepare(
      "SELECT sha256, rows, history, content FROM \(connection.tables.blob) ORDER BY sha256"
    )
    while try stored.step() {
      let digest = stored.string(at: 0)
      let counts = try known.counts(of: digest)
      let (rows, history) = (stored.int64(at: 1), stored.int64(at: 2))
      if counts.rows != rows || counts.history != history {
        try body(count(digest, needed: counts, rows: rows, history: history))
      }
      guard [rows, history, counts.rows, counts.history].contains(where: { $0 > 0 }) else {
        continue
      }
      let value: LargeValue? =
        if let folder {
          folder.contains(digest) ? .file(folder.file(digest)) : nil
        } else {
          stored.isNull(at: 3) ? nil : .bytes(stored.data(at: 3))
        }
      guard let value else {
        try body(.missingBlob(sha256: digest))
        continue
      }
      var hash = SHA256()
      try value.forEachPiece { hash.update($0) }
      if hash.finish().description != digest { try body(.alteredBlob(sha256: digest)) }
    }
    func isStored(_ digest: String) throws -> Bool {
      try connection.hasRow(
        "SELECT 1 FROM \(connection.tables.blob) WHERE sha256 = ?1",
        values: [.text(digest)]
      )
    }
    let needed = try known.digests()
    while try needed.step() {
      let digest = needed.string(at: 0)
      if try !isStored(digest) {
        try body(count(digest, needed: known.counts(of: digest), rows: 0, history: 0))
      }
    }
    for name in try folder?.names().sorted() ?? []
    where try !name.hasPrefix(".") && !isStored(name) {
      try body(.strayBlob(name: name))
    }
  }

  private func count(
    _ digest: String,
    needed: (rows: Int64, history: Int64),
    rows: Int64,
    history: Int64
  ) -> CheckFinding {
    .blobCount(
      sha256: digest,
      rows: needed.rows,
      countedRows: rows,
      history: needed.history,
      countedHistory: history
    )
  }

  /// Recounts the uses of large values, because writers that bypass the triggers do not count uses.
  func correctBlobCounts() throws {
    try known.removeCounts()
    try countRows { digest, count in
      try known.count(digest, rows: count)
      try blobs.adopt(digest, rows: 0)
    }
    let stored = try connection.prepare("SELECT sha256, rows FROM \(connection.tables.blob)")
    while try stored.step() {
      let digest = stored.string(at: 0)
      let difference = try known.counts(of: digest).rows &- stored.int64(at: 1)
      if difference != 0 { try blobs.adopt(digest, rows: difference) }
    }
  }
}
