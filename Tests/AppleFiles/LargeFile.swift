import Foundation
import SQLite

extension AppleFile {
  /// Writes a large store with the usual mix of changes: about ten in a transaction.
  ///
  /// The record of the program is not kept, so the memory does not grow with the file.
  package static func large(
    _ url: URL,
    transactions: Int64,
    textSize: Int = 1200
  ) throws -> AppleFile {
    let model = FileModel(entities: [
      FileModel.Entity(
        name: "Clip",
        attributes: [
          FileModel.Attribute(name: "count", type: 300),
          FileModel.Attribute(name: "lastUsed", type: 900),
          FileModel.Attribute(name: "text", type: 700),
          FileModel.Attribute(name: "token", type: 1100, flags: 16),
        ],
        relationships: [
          FileModel.Relationship(name: "parts", destination: "Part", inverse: "clip", maximum: 0)
        ]
      ),
      FileModel.Entity(
        name: "Part",
        attributes: [
          FileModel.Attribute(name: "kind", type: 700),
          FileModel.Attribute(name: "value", type: 1000),
        ],
        relationships: [FileModel.Relationship(name: "clip", destination: "Clip", inverse: "parts")]
      ),
    ])
    let file = try AppleFile(url, model, journal: "DELETE")
    _ = file.insert("Clip")
    try file.save(author: "editor")
    try file.append(transactions: transactions, textSize: textSize)
    return file
  }

  /// Adds transactions to a file of ``large(_:transactions:textSize:)``.
  package func append(transactions count: Int64, textSize: Int) throws {
    let change = try connection.prepare(
      """
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS,
      ZTOMBSTONE0) VALUES (?1, 16001, ?2, ?3, ?4, ?5, ?6, ?7)
      """
    )
    let transaction = try connection.prepare(
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZBUNDLEIDTS, ZPROCESSIDTS, ZTIMESTAMP)"
        + " VALUES (?1, 16002, 2, 3, ?2)"
    )
    let clip = try connection.prepare(
      "INSERT INTO ZCLIP (Z_PK, Z_ENT, Z_OPT, ZCOUNT, ZLASTUSED, ZTEXT, ZTOKEN)"
        + " VALUES (?1, 1, 1, 1, ?2, ?3, ?4)"
    )
    let part = try connection.prepare(
      "INSERT INTO ZPART (Z_PK, Z_ENT, Z_OPT, ZKIND, ZCLIP, ZVALUE) VALUES (?1, 2, 1, 'text', ?2, ?3)"
    )
    let use = try connection.prepare(
      "UPDATE ZCLIP SET Z_OPT = Z_OPT + 1, ZCOUNT = ZCOUNT + 1, ZLASTUSED = ?2 WHERE Z_PK = ?1"
    )
    let delete = try connection.prepare("DELETE FROM ZPART WHERE Z_PK = ?1")
    let used = FileValue.blob(layout.bitmap(["count", "lastUsed"], of: "Clip"))
    let grown = FileValue.blob(layout.bitmap(["parts"], of: "Clip"))
    func run(_ statement: Statement, _ values: [FileValue]) throws {
      for (index, value) in values.enumerated() { try statement.bind(index + 1, value) }
      try statement.run()
      statement.reset()
    }
    func note(_ kind: Int64, _ entity: Int64, _ id: Int64, _ bits: FileValue = .null) throws {
      highestChange += 1
      try run(
        change,
        [
          .integer(highestChange), .integer(kind), .integer(entity), .integer(id),
          .integer(highestTransaction), bits, .null,
        ]
      )
    }
    let text = String(repeating: "travel ", count: textSize / 7 + 1)
    var done: Int64 = 0
    while done < count {
      try connection.inTransaction {
        for _ in 0..<min(10_000, count - done) {
          done += 1
          highestTransaction += 1
          let time = FileValue.real(700_000_000 + Double(highestTransaction))
          try run(transaction, [.integer(highestTransaction), time])
          highest["Clip", default: 0] += 1
          let id = highest["Clip", default: 0]
          let token = (0..<16).map { UInt8(truncatingIfNeeded: id >> (4 * $0)) }
          try run(clip, [.integer(id), time, .text("\(id) \(text)"), .blob(token)])
          try note(0, 1, id)
          for index in 0..<4 {
            highest["Part", default: 0] += 1
            let member = highest["Part", default: 0]
            try run(part, [.integer(member), .integer(id), .blob(token + [UInt8(index)])])
            try note(0, 2, member)
          }
          // Most programs change again what they changed lately.
          let olds = Set((1...5).map { id - 1 - id &* 7919 * $0 % 997 }.filter { $0 > 0 })
          for old in olds.sorted() {
            try run(use, [.integer(old), time])
            try note(1, 1, old, used)
          }
          guard id % 3 == 0 else { continue }
          try run(delete, [.integer(4 * id - 8)])
          try note(2, 2, 4 * id - 8)
          if !olds.contains(id - 1), id > 1 { try note(1, 1, id - 1, grown) }
        }
        try insertKeysAgain()
      }
    }
  }

  private func insertKeysAgain() throws {
    try connection.execute("DELETE FROM Z_PRIMARYKEY")
    try insertKeys()
  }
}
