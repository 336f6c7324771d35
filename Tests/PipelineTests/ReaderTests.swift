import ChangeLog
import Foundation
import Pipeline
import PipelineTesting
import ProcessTesting
import SQLite
import StoreTesting
import TestSupport
import Testing

@testable import Format
@testable import Store

private let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().appendingPathComponent("Readers/read_log.py").path

/// A new Debian system has no Python.
private let hasPython = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
  .contains { FileManager.default.isExecutableFile(atPath: "\($0)/python3") }

/// The objects that the reader prints for some logs, and its error.
private func run(
  _ logs: [String],
  in folder: URL
) throws -> (state: [NSDictionary], complaint: String) {
  let output = folder.appendingPathComponent("state.ndjson")
  #expect(FileManager.default.createFile(atPath: output.path, contents: nil))
  let errors = Pipe()
  let process = ChildProcess()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = ["python3", script] + logs
  process.standardOutput = try FileHandle(forWritingTo: output)
  process.standardError = errors
  try process.run()
  let complaint = try errors.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  #expect((process.terminationStatus == 0) == complaint.isEmpty)
  let state = try Data(contentsOf: output).split(separator: 0x0a).map {
    try #require(JSONSerialization.jsonObject(with: $0) as? NSDictionary)
  }
  return (state, String(decoding: complaint, as: UTF8.self))
}

/// The rows of a store in the form in which the reader prints objects.
private func state(of store: Store) throws -> [NSDictionary] {
  try store.read { reader in
    let layouts = try store.schema.layouts()
    var objects: [(entity: String, id: Int64, text: String)] = []
    for layout in layouts {
      let condition =
        layout.sharesTable ? " WHERE \"_entity\" = \(literal(layout.entity.name))" : ""
      let columns = (["\"id\""] + layout.columns.map(\.quoted)).joined(separator: ", ")
      let rows = try reader.connection.prepare("SELECT \(columns) FROM \(layout.table)\(condition)")
      while try rows.step() {
        var members = try layout.columns.enumerated().map { index, column in
          let value = rows.value(at: Int32(index) + 1)
          return "\(json(column.logName)):" + (try text(of: value, column, layouts))
        }
        members += try links(of: rows.int64(at: 0), layout, layouts, store.schema, reader)
        objects.append((layout.entity.name, rows.int64(at: 0), members.joined(separator: ",")))
      }
    }
    return try objects.sorted { ($0.entity, $0.id) < ($1.entity, $1.id) }.map {
      let line = #"{"entity":"\#($0.entity)","id":\#($0.id),"values":{\#($0.text)}}"#
      return try #require(
        JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary
      )
    }
  }
}

private func text(
  of value: Value,
  _ column: EntityLayout.Column,
  _ layouts: [EntityLayout]
) throws -> String {
  guard let type = column.type else {
    guard case .integer(let id) = value, let destination = column.destination else { return "null" }
    return #"{"entity":"\#(layouts[destination].entity.name)","id":"\#(id)"}"#
  }
  var text: [UInt8] = []
  if let special = appendCanonical(value, as: type, to: &text) {
    return #"{"special":\#(json(special.name))}"#
  }
  return String(decoding: text, as: UTF8.self)
}

private func links(
  of id: Int64,
  _ layout: EntityLayout,
  _ layouts: [EntityLayout],
  _ schema: StoreSchema,
  _ reader: Reader
) throws -> [String] {
  try joinTables(among: layouts).filter { layouts[$0.owner].family.contains(layout.index) }
    .compactMap {
      let rows = try reader.connection.prepare(
        """
        SELECT \(quoted($0.secondColumn)) FROM \(quoted($0.name))
          WHERE \(quoted($0.firstColumn)) = \(id) ORDER BY 1
        """
      )
      var list: [String] = []
      let entity = json(layouts[$0.destination].entity.name)
      while try rows.step() {
        list.append(#"{"entity":\#(entity),"id":"\#(rows.int64(at: 0))"}"#)
      }
      return list.isEmpty
        ? nil : "\(json($0.logName(layouts))):[\(list.joined(separator: ","))]"
    }
}

private func json(_ text: String) -> String {
  var json: [UInt8] = []
  appendJSONString(text, to: &json)
  return String(decoding: json, as: UTF8.self)
}

/// An object without empty lists, which mean the same as missing ones.
private func withoutEmptyLists(_ object: NSDictionary) throws -> NSDictionary {
  let values = try #require(object["values"] as? NSDictionary)
  let result = try #require(object.mutableCopy() as? NSMutableDictionary)
  let kept = try #require(values.mutableCopy() as? NSMutableDictionary)
  for (name, value) in values where (value as? NSArray)?.count == 0 {
    kept.removeObject(forKey: name)
  }
  result["values"] = kept
  return result
}

@Suite(
  "A Python reader that was written from docs/FORMAT.md",
  .enabled(if: hasPython, "no python3")
)
struct ReaderTests {
  private func export(_ store: URL, to folder: URL) throws -> [String] {
    let request = ExportRequest(store: store.path, logs: LogFolder(folder.path + "/logs"))
    return try Pipeline.export(request).files
  }

  private func expectState(_ store: Store, _ logs: [String], in folder: URL) throws {
    let (found, complaint) = try run(logs, in: folder)
    #expect(complaint == "")
    let objects = try found.map(withoutEmptyLists)
    let expected = try state(of: store)
    #expect(objects.count == expected.count)
    for (object, row) in zip(objects, expected) where object != row {
      Issue.record("the reader has \(object), and the store \(row)")
      return
    }
  }

  @Test("The reader rebuilds the rows of a store from logs of random histories.", arguments: 1...4)
  func histories(_ seed: UInt64) throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("world.store")
      let store = try Store.open(.file(url), schema: worldSchema)
      var world = HistoryWorld(SeededGenerator(for: "reader \(seed)"))
      world.hasLargeValues = false
      var logs: [String] = []
      for _ in 0..<3 {
        for _ in 0..<25 { try world.write(to: store) }
        logs += try export(url, to: folder)
      }
      #expect(logs.count == 3)
      try expectState(store, logs, in: folder)
    }
  }

  @Test("The reader reads erased lines by their records, or by deletions that restate them.")
  func erasures() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("world.store")
      let store = try Store.open(
        .file(url),
        schema: worldSchema,
        options: Options(historyMode: .tombstones)
      )
      var world = HistoryWorld(SeededGenerator(for: "reader of erasures"))
      world.hasLargeValues = false
      var logs: [String] = []
      let records = LogFolder(folder.path + "/logs").erasures(of: store.identifier, lineage: 0)
      while !FileManager.default.fileExists(atPath: records) {
        for _ in 0..<25 { try world.write(to: store) }
        logs += try export(url, to: folder)
      }
      try expectState(store, logs, in: folder)
      var list = try String(contentsOfFile: records, encoding: .utf8)
      list.replace(#""ts":"2"#, with: #""ts":"3"#, maxReplacements: 1)
      try Data(list.utf8).write(to: URL(fileURLWithPath: records))
      #expect(try run(logs, in: folder).complaint.contains("_erasures.ndjson"))
      try FileManager.default.removeItem(atPath: records)
      try expectState(store, logs, in: folder)
    }
  }

  @Test("The reader accepts a snapshot that a later transaction or a replay proves.")
  func snapshots() throws {
    try withTemporaryFolder { folder in
      var world = try World(folder, "reader of snapshots")
      world.history.hasLargeValues = false
      try world.write(20)
      let first = try world.export().files
      try world.write(5)
      let second = try world.export { $0.wantsSnapshot = true }
      let snapshot = [try #require(second.snapshot)]
      try expectState(world.source, first + second.files + snapshot, in: folder)
      // Without the mark, the snapshot must have the state of a replay.
      try expectState(world.source, first + second.files.dropLast() + snapshot, in: folder)
      // The log of the mark is the last log, and alone continues the snapshot, if the tree begins there.
      let mark = try #require(second.files.last)
      let removed = try run(snapshot + [mark], in: folder)
      #expect(removed.complaint.contains("may be missing"))
      let others = first + second.files.dropLast()
      for path in others + [world.treePath()] { try FileManager.default.removeItem(atPath: path) }
      _ = try writeCheckpoints(CheckpointRequest(logs: world.logs))
      try expectState(world.source, snapshot + [mark], in: folder)
    }
  }

  @Test("The reader checks filtered logs as far as possible, and finds a changed byte.")
  func filteredLogs() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("world.store")
      let store = try Store.open(.file(url), schema: worldSchema)
      var world = HistoryWorld(SeededGenerator(for: "reader of partial logs"))
      var request = ExportRequest(store: url.path, logs: LogFolder(folder.path + "/logs"))
      request.filter.entities = ["Guest"]
      request.filter.redactions = [.init(entity: "Guest", attribute: "note", manner: .drop)]
      var logs: [String] = []
      while logs.count < 3 {
        for _ in 0..<15 { try world.write(to: store) }
        logs += try Pipeline.export(request).files
      }
      let (state, complaint) = try run(logs, in: folder)
      #expect(complaint == "")
      #expect(state.isEmpty)
      let last = URL(fileURLWithPath: try #require(logs.last))
      var bytes = try Data(contentsOf: last)
      bytes[bytes.count / 2] ^= 4
      try bytes.write(to: last)
      #expect(try run(logs, in: folder).complaint != "")
    }
  }

  @Test("The reader follows a migration with renamed and new properties and wider types.")
  func migration() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("world.store")
      var world = HistoryWorld(SeededGenerator(for: "reader of a migration"))
      world.hasLargeValues = false
      let old = try Store.open(.file(url), schema: worldSchema)
      for _ in 0..<30 { try world.write(to: old) }
      let schema = StoreSchema(version: "2.0.0", entities: worldSchema.entities.map(changed))
      try Migration.migrate(url, to: schema, author: Author(name: "migrator"))
      let store = try Store.open(.file(url), schema: schema)
      let guest = try #require(store.schema.index(of: "Guest"))
      let age = try #require(store.schema.layouts()[guest].column(of: "age"))
      try store.write(Author(name: "later")) { writer in
        for id in try rows("SELECT id FROM Guest", in: store).prefix(3) {
          try writer.update(
            guest,
            id: try #require(Int64(id)),
            columns: [age],
            values: [.integer(30)]
          )
        }
      }
      let logs = try export(url, to: folder)
      #expect(logs.count == 2)
      try expectState(store, logs, in: folder)
    }
  }

  /// The entity after the migration: new names and types, and two more properties.
  private func changed(_ entity: Entity) -> Entity {
    var entity = entity
    if entity.name == "Camp" {
      entity.name = "Campsite"
      entity.originalName = "Camp"
    }
    entity.attributes = entity.attributes.map { attribute in
      switch attribute.name {
      case "note": Attribute(name: "remark", type: .string, isOptional: true, originalName: "note")
      case "stars": Attribute(name: "stars", type: .decimal)
      default: attribute
      }
    }
    guard entity.name == "Guest" else { return entity }
    entity.attributes += [
      Attribute(name: "mood", type: .string, defaultValue: .text("curious")),
      Attribute(name: "age", type: .int16, isOptional: true),
    ]
    return entity
  }

  @Test("The reader finds a changed byte, a cut file and a missing file.")
  func damage() throws {
    try withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("world.store")
      let store = try Store.open(.file(url), schema: worldSchema)
      var world = HistoryWorld(SeededGenerator(for: "reader of damage"))
      var logs: [String] = []
      for _ in 0..<2 {
        for _ in 0..<10 { try world.write(to: store) }
        logs += try export(url, to: folder)
      }
      #expect(try run(logs, in: folder).complaint == "")
      #expect(try run([logs[1]], in: folder).complaint.contains("does not go on"))
      let bytes = try Data(contentsOf: URL(fileURLWithPath: logs[1]))
      let copy = folder.appendingPathComponent("9.ndjson.gz")
      try bytes.dropLast(9).write(to: copy)
      #expect(try run([logs[0], copy.path], in: folder).complaint != "")
      var changed = bytes
      changed[bytes.count / 2] ^= 4
      try changed.write(to: copy)
      #expect(try run([logs[0], copy.path], in: folder).complaint != "")
    }
  }
}
