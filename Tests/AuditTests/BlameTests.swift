import Audit
import ChangeLog
import Format
import Foundation
import Pipeline
import PipelineTesting
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

/// The transaction that set a value, as a naive reader finds it in the lines.
private struct NaiveValue: Equatable {
  var value: String
  var transaction: Int64
  var before: String?
}

/// All values of all objects, deleted ones included, by the simplest possible replay.
private func naiveReplay(_ lines: [[String: Any]]) throws -> [String: [String: NaiveValue]] {
  func text(_ value: Any) throws -> String {
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .fragmentsAllowed]
    return String(
      decoding: try JSONSerialization.data(withJSONObject: value, options: options),
      as: UTF8.self
    )
  }
  var objects: [String: [String: NaiveValue]] = [:]
  for line in lines where line["kind"] as? String == "change" {
    guard let entity = line["entity"] as? String, let id = line["id"] as? String,
      let transaction = (line["txn"] as? NSNumber)?.int64Value, let op = line["op"] as? String
    else { continue }
    let key = "\(entity == "Guest" ? "Guest" : "Place") \(id)"
    let before = line["before"] as? [String: Any] ?? [:]
    let after = line["after"] as? [String: Any] ?? [:]
    if op == "insert" { objects[key] = [:] }
    guard op != "delete" else { continue }
    for (name, value) in after where !(value is [Any]) {
      objects[key, default: [:]][name] = NaiveValue(
        value: try text(value),
        transaction: transaction,
        before: try before[name].map(text)
      )
    }
    for link in before["seen"] as? [[String: Any]] ?? [] {
      objects[key]?["seen \(link["id"] ?? "")"] = nil
    }
    for link in after["seen"] as? [[String: Any]] ?? [] {
      objects[key]?["seen \(link["id"] ?? "")"] = NaiveValue(
        value: try text(link),
        transaction: transaction,
        before: try (before["seen"] as? [[String: Any]] ?? [])
          .first { $0["id"] as? String == link["id"] as? String }.map(text)
      )
    }
  }
  return objects
}

@Suite("Blame")
struct BlameTests {
  @Test("Blame of every object agrees with a naive replay of the lines.")
  func agreement() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "blame", writes: 40)
      let expected = try naiveReplay(world.parsedLines())
      #expect(!expected.isEmpty)
      func same(_ value: PropertyValue) throws -> String {
        let value = try JSONSerialization.jsonObject(
          with: Data(value.json),
          options: .fragmentsAllowed
        )
        return String(
          decoding: try JSONSerialization.data(
            withJSONObject: value,
            options: [.sortedKeys, .fragmentsAllowed]
          ),
          as: UTF8.self
        )
      }
      for history in try world.histories() {
        for (key, values) in expected {
          let parts = key.split(separator: " ")
          let id = try #require(Int64(parts[1]))
          let found = try blame(history, entity: String(parts[0]), id: ObjectID(id))
          var lines: [String: NaiveValue] = [:]
          for line in found.lines {
            let link = line.name == "seen" ? line.value.links.first : nil
            lines[line.name + (link.map { " \($0.id)" } ?? "")] = NaiveValue(
              value: try same(line.value),
              transaction: line.touch?.transaction ?? 0,
              before: try line.before.map(same)
            )
          }
          #expect(lines == values, "\(key)")
        }
      }
    }
  }

  @Test("A deleted object is found by the values of its tombstone, and blame shows who deleted it.")
  func tombstones() throws {
    try withTemporaryFolder { folder in
      let store = try Store.open(
        .file(folder.appendingPathComponent("a.store")),
        schema: worldSchema
      )
      let camp = try #require(worldSchema.index(of: "Camp"))
      try store.write(Author(name: "app")) { writer in
        var values = [Value](repeating: .null, count: writer.layouts[camp].columns.count)
        values[0] = .text("Lake <b>")
        try writer.insert(camp, id: 7, values: values)
      }
      try store.write(Author(name: "widget")) { try $0.delete(camp, id: 7) }
      let history = try History(store.location.path)
      let found = try findObjects(in: history, entity: "Place", property: "name", text: "Lake <b>")
      #expect(found == [ObjectName("Camp", id: 7)])
      let result = try blame(history, entity: "Place", id: 7)
      #expect(result.inserted?.author == "app")
      #expect(result.deleted?.author == "widget")
      #expect(result.label == "Lake <b>")
      #expect(result.lines.first?.value.text == "Lake <b>")
      #expect(try blame(History(store.location.path + "@1"), entity: "Camp", id: 7).deleted == nil)
    }
  }

  @Test("Blame follows an object through a migration that renamed its entity and its attribute.")
  func renames() throws {
    try withTemporaryFolder { folder in
      let world = try RenamedWorld(folder, hasOthers: false)
      for source in [world.store, world.logs] {
        let history = try History(source)
        for entity in ["Human", "Person"] {
          var seen: [String] = []
          let result = try blame(
            history,
            entity: entity,
            id: 1,
            each: { seen.append("\($1.author ?? "") \($0.entity)") }
          )
          #expect(seen == ["app Human", "desk Human", "widget Human"], "\(source)")
          #expect(result.entity == "Human")
          #expect(result.inserted?.author == "app")
          let lines = result.lines.map {
            "\($0.name) \($0.value.text ?? "") by \($0.touch?.author ?? "") was \($0.before?.text ?? "")"
          }
          #expect(
            lines == ["mobile 555 2 by widget was 555 1", "town Bergen by desk was Oslo"],
            "\(source)"
          )
        }
        for property in ["phone", "mobile"] {
          let found = try findObjects(
            in: history,
            entity: "Human",
            property: property,
            text: "555 1"
          )
          #expect(found == [ObjectName("Human", id: 1)], "\(property)")
        }
      }
    }
  }

  @Test("A filter removes values and changes, but no line that explains how a value was set.")
  func filters() throws {
    try withTemporaryFolder { folder in
      let world = try RenamedWorld(folder, hasOthers: false)
      for source in [world.store, world.logs] {
        let history = try History(source)
        func shown(_ change: (inout AuditFilter) -> Void) throws -> [String] {
          var filter = AuditFilter()
          change(&filter)
          var seen: [String] = []
          let result = try blame(
            history,
            entity: "Human",
            id: 1,
            filter: filter,
            each: { seen.append($1.author ?? "") }
          )
          #expect(result.changes == 3 && result.inserted?.author == "app")
          return result.lines.map { "\($0.name) was \($0.before?.text ?? "")" } + seen
        }
        let all = ["mobile was 555 1", "town was Oslo"]
        #expect(try shown { _ in } == all + ["app", "desk", "widget"])
        #expect(try shown { $0.author = "widget" } == ["mobile was 555 1", "widget"])
        #expect(try shown { $0.author = "nobody" } == [])
        for name in ["mobile", "phone"] {
          #expect(try shown { $0.attribute = name } == ["mobile was 555 1", "app", "widget"])
        }
        let touches = try blame(history, entity: "Human", id: 1).lines.compactMap(\.touch)
        let last = try #require(touches.max { $0.transaction < $1.transaction })
        #expect(try shown { $0.since = last.time } == ["mobile was 555 1", "widget"])
        #expect(try shown { $0.until = last.time } == ["town was Oslo", "app", "desk"])
        #expect {
          _ = try shown { $0.attribute = "colour" }
        } throws: {
          "\($0)".contains("no attribute “colour”")
        }
      }
    }
  }

  @Test("A name that now belongs to another entity means that entity.")
  func reusedName() throws {
    try withTemporaryFolder { folder in
      let world = try RenamedWorld(folder)
      for source in [world.store, world.logs] {
        let history = try History(source)
        #expect(try blame(history, entity: "Person", id: 1).inserted?.author == "other")
        #expect(try blame(history, entity: "Human", id: 1).inserted?.author == "app")
        for (entity, property) in [("Person", "phone"), ("Human", "mobile")] {
          let found = try findObjects(
            in: history,
            entity: entity,
            property: property,
            text: "555 1"
          )
          #expect(found == [ObjectName(entity, id: 1)])
        }
      }
    }
  }

  @Test("Blame of a row that was there before the adoption has its values, also before it changed.")
  func adoptedRow() throws {
    try withTemporaryFolder { folder in
      let path = folder.appendingPathComponent("app.db").path
      let program = try Connection(path: path, mode: .readWriteCreate)
      try program.execute(
        """
        CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE word (k TEXT PRIMARY KEY COLLATE NOCASE, n) WITHOUT ROWID;
        CREATE TABLE loose (v);
        INSERT INTO person VALUES (1, 'Ann'), (2, 'Bob');
        INSERT INTO word VALUES ('a', 1); INSERT INTO loose VALUES ('x');
        """
      )
      _ = try Store.adopt(path)
      try program.execute("UPDATE person SET name = 'Anna' WHERE id = 1; DELETE FROM word")
      let word = try #require(Array(#"["text:a"]"#.utf8).withUnsafeBytes { RowName(canonical: $0) })
      for (place, entity, id, value) in [
        ("@1", "person", 1, "text:Ann"), ("", "person", 2, "text:Bob"), ("", "loose", 1, "text:x"),
        ("@1", "word", ObjectID(word), "text:a"),
      ] as [(String, String, ObjectID, String)] {
        let found = try blame(History(path + place), entity: entity, id: id)
        #expect(found.lines.contains { $0.value.text == value && $0.touch == nil }, "\(entity)")
        #expect(found.changes == 0 && found.inserted == nil)
      }
      #expect(throws: PipelineError.self) {
        try blame(History(path), entity: "person", id: 9)
      }
    }
  }

  @Test("An id or an entity that never existed is refused.")
  func unknown() throws {
    try withTemporaryFolder { folder in
      let world = try World(folder, "blame nothing", writes: 3)
      let history = try History(world.path)
      #expect {
        _ = try blame(history, entity: "Guest", id: 999)
      } throws: {
        "\($0)".contains("does not have Guest 999")
      }
      #expect {
        _ = try blame(history, entity: "Trip", id: 1)
      } throws: {
        "\($0)".contains("no entity “Trip”")
      }
    }
  }
}
