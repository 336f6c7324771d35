import Foundation
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Random foreign changes")
struct ForeignRandomTests {
  /// Writes random SQL, as a person may who sees only the tables.
  private struct Scribe {
    var random: SeededGenerator

    mutating func pick<Element>(_ list: [Element]) -> Element {
      list[Int.random(in: list.indices, using: &random)]
    }

    mutating func id() -> String { pick(["1", "2", "3", "4", "5", "6", "NULL"]) }
    mutating func some() -> String { pick(["1", "2", "3", "4", "5", "6"]) }
    mutating func name() -> String { pick(["'a'", "'b'", "'c'", "'é'", "NULL", "''"]) }
    mutating func price() -> String { pick(["1", "1.0", "-0.0", "0", "9e999", "'NaN'", "NULL"]) }
    mutating func plan() -> String { pick(["1", "2", "NULL"]) }
    mutating func image() -> String {
      pick([
        "NULL", "x''", "x'00ff'", "zeroblob(1100000)",
        "'" + String(repeating: "ab", count: 32) + "'",
        "(SELECT image FROM Trip WHERE typeof(image) = 'text')",
      ])
    }
    mutating func kind() -> String { pick(["'Plan'", "'Meeting'", "'Rest'", "'Stranger'"]) }
    mutating func way() -> String {
      pick(["", "OR REPLACE", "OR IGNORE", "OR ROLLBACK", "OR FAIL"])
    }

    mutating func condition(_ columns: [String]) -> String {
      pick([
        "", " WHERE id = \(some())", " WHERE id > \(some())", " WHERE \(pick(columns)) IS NOT NULL",
      ])
    }

    mutating func statement() -> String {
      switch Int.random(in: 0..<15, using: &random) {
      case 0, 1:
        return "INSERT \(way()) INTO Trip (id, name, price, image, plan)"
          + " VALUES (\(id()), \(name()), \(price()), \(image()), \(plan()))"
          + pick(["", ", (\(id()), \(name()), \(price()), NULL, \(plan()))"])
      case 2:
        return "INSERT INTO Trip (id, name, price) VALUES (\(id()), \(name()), \(price()))"
          + pick([
            " ON CONFLICT DO NOTHING",
            " ON CONFLICT (name) DO UPDATE SET price = excluded.price, id = \(some())",
            " ON CONFLICT (id) DO UPDATE SET name = excluded.name",
          ])
      case 3, 4:
        let set = pick([
          "name = \(name())", "price = \(price())", "image = \(image())", "id = id + 1",
          "id = \(some())", "name = name || 'x', plan = \(plan())", "price = price",
        ])
        return "UPDATE \(way()) Trip SET \(set)" + condition(["name", "price"])
      case 5: return "DELETE FROM Trip" + condition(["image"])
      case 6:
        return "INSERT \(way()) INTO Plan (id, _entity, title, room)"
          + " VALUES (\(id()), \(kind()), 't', \(name()))"
      case 7:
        let set = pick(["_entity = \(kind())", "room = \(name())", "id = \(some())", "title = 'u'"])
        return "UPDATE \(way()) Plan SET \(set)" + condition(["room"])
      case 8: return "DELETE FROM Plan" + condition(["room"])
      case 9: return "INSERT \(way()) INTO Tag (id, word) VALUES (\(id()), 'w')"
      case 10:
        return pick([
          "DELETE FROM Tag" + condition(["word"]), "UPDATE \(way()) Tag SET id = \(some())",
          "UPDATE Tag SET word = word || 'w'",
        ])
      case 11, 12:
        return
          "INSERT \(way()) INTO \(pick(["Tag_trips (Tag, Trip)", "Plan_friends (Plan, Tag)"]))"
          + " VALUES (\(some()), \(some())), (\(some()), \(some()))"
      case 13:
        let column = pick(["Tag", "Trip"])
        return "UPDATE \(way()) Tag_trips SET \(column) = \(some())"
          + pick(["", " WHERE Tag = \(some())"])
      default:
        return pick(["DELETE FROM Tag_trips", "DELETE FROM Plan_friends WHERE Plan = \(some())"])
      }
    }

    /// Statements in one transaction, or each in its own.
    mutating func script() -> [String] {
      var result: [String] = []
      let isTransaction = Bool.random(using: &random)
      if isTransaction { result.append("BEGIN") }
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let isUndone = isTransaction && Int.random(in: 0..<5, using: &random) == 0
        if isUndone { result.append("SAVEPOINT s") }
        result.append(statement())
        if isUndone { result += ["ROLLBACK TO s", "RELEASE s"] }
      }
      if isTransaction { result.append(pick(["COMMIT", "COMMIT", "COMMIT", "ROLLBACK"])) }
      return result
    }
  }

  private func run(_ script: [String], on connection: Connection) throws {
    for statement in script {
      do {
        try connection.execute(statement)
      } catch SQLiteError.constraint {
        // Random scripts may fail so; OR ROLLBACK has ended the transaction.
      } catch SQLiteError.error where !connection.isInTransaction {
        // No transaction is open.
      }
    }
    if connection.isInTransaction { try connection.execute("COMMIT") }
  }

  private func write(_ store: Store, _ scribe: inout Scribe) throws {
    let numbers = (0..<4).map { _ in Int64.random(in: 1...6, using: &scribe.random) }
    let entity = scribe.pick([Kind.trip, Kind.tag, Kind.meeting])
    do {
      try store.write(Author(name: "app")) { writer in
        switch numbers[0] {
        case 1, 2:
          let id = try writer.reserveIDs(writer.layouts[entity].entity.table, count: 1)
          let values: [Value] =
            switch entity {
            case Kind.trip:
              [.null, .real(Double(id)), .blob(Data(count: numbers[1] == 1 ? 200_000 : 3)), .null]
            case Kind.tag: [.text("w")]
            default: [.text("t"), .null]
            }
          try writer.insert(entity, id: id, values: values)
        case 3: try writer.delete(entity, id: numbers[1])
        case 4: try writer.update(Kind.trip, id: numbers[1], columns: [1], values: [.real(0.5)])
        default:
          try writer.link(Kind.tag, relationship: "trips", source: numbers[1], target: numbers[2])
        }
      }
    } catch let error as StoreError
      where [.missingObject, .missingReference, .duplicate].contains(error.code)
    {
      // The requested object is missing, or exists already.
    }
  }

  @Test("History of random own and foreign changes, in any order, replays to the rows.")
  func agreement() throws { try writeAtRandom(SeededGenerator(for: "foreign writers")) }

  @Test(
    "History replays to the rows also if touched objects are kept in a file.",
    arguments: [1, 2, 5] as [Int64]
  )
  func agreementPutAside(room: Int64) throws {
    try Touches.$usualRoom.withValue(room) {
      try writeAtRandom(SeededGenerator(for: "foreign writers, room for \(room)"))
    }
  }

  private func writeAtRandom(_ random: SeededGenerator) throws {
    var scribe = Scribe(random: random)
    for trial in 0..<trials(4, long: 400) {
      try withForeignStore { store, connection in
        try connection.execute("PRAGMA ignore_check_constraints = \(trial % 3 == 0 ? "ON" : "OFF")")
        try connection.execute("PRAGMA recursive_triggers = \(trial % 4 == 1 ? "ON" : "OFF")")
        for step in 0..<12 {
          let script = scribe.script()
          try run(script, on: connection)
          if Bool.random(using: &scribe.random) {
            let other = try foreignConnection(to: store)
            try run(scribe.script(), on: other)
          }
          if Int.random(in: 0..<4, using: &scribe.random) == 0 { try write(store, &scribe) }
          try expectAgreement(store, "trial \(trial), step \(step): \(script)")
          try expectCountsOfBlobs(store, "trial \(trial), step \(step): \(script)")
        }
      }
    }
  }

  private func expectCountsOfBlobs(_ store: Store, _ comment: String) throws {
    let counted = try rows(
      "SELECT image, count(*) FROM Trip WHERE typeof(image) = 'text' AND length(image) = 64"
        + " GROUP BY 1 ORDER BY 1",
      in: store
    )
    let kept = try rows("SELECT sha256, rows FROM store_blob WHERE rows > 0 ORDER BY 1", in: store)
    try #require(counted == kept, "\(comment)")
  }
}
