import AppleFiles
import Foundation
import SQLite
import Store
import StoreTesting
import TestSupport
import Testing

@testable import travelog

/// The tables of docs/CLI_JSON.md: the keys and types of answers and of their parts.
private struct Document {
  struct Field {
    let key: String
    let type: String
    let isOptional: Bool
  }

  var shapes: [String: [Field]] = [:]
  /// The types that have a table, without parts of answers.
  var answers: Set<String> = []

  init() throws {
    let text = try String(
      contentsOf: packageRoot.appendingPathComponent("docs/CLI_JSON.md"),
      encoding: .utf8
    )
    var isPart = false
    for line in text.split(separator: "\n") {
      if line == "## Parts of answers" {
        isPart = true
      } else if let row = line.wholeMatch(of: /\| ([\w, ]+) \| `(\w+)` \| (.+?)(\??) \| .* \|/)?
        .output
      {
        let field = Field(
          key: String(row.2),
          type: String(row.3),
          isOptional: !row.4.isEmpty
        )
        for name in row.1.split(separator: ", ").map(String.init) {
          shapes[name, default: []].append(field)
          if !isPart { answers.insert(name) }
        }
      }
    }
    // The page says once that every answer has these keys.
    for name in answers {
      shapes[name, default: []] += ["schema", "type"].map {
        Field(key: $0, type: "any", isOptional: false)
      }
    }
  }

  /// The differences between an object and its table.
  func violations(_ value: Any, _ type: String, at path: String = "$") -> [String] {
    if type.hasPrefix("list of ") {
      guard let list = value as? [Any] else { return ["\(path) is not a list"] }
      return list.flatMap { violations($0, String(type.dropFirst(8)), at: path + "[]") }
    }
    switch type {
    case "any": return []
    case "text": return value is String ? [] : ["\(path) is not a text"]
    case "boolean", "number": return value is NSNumber ? [] : ["\(path) is not a \(type)"]
    case "integer":
      let number = (value as? NSNumber)?.doubleValue
      return number == number?.rounded() && number != nil ? [] : ["\(path) is not an integer"]
    default: break
    }
    guard let fields = shapes[type] else { return ["\(path): there is no table of \(type)"] }
    guard let object = value as? [String: Any] else { return ["\(path) is not an object"] }
    var result = Set(object.keys).subtracting(fields.map(\.key)).map {
      "\(path) has \($0), which the table of \(type) does not"
    }
    for field in fields {
      if let value = object[field.key] {
        result += violations(value, field.type, at: "\(path).\(field.key)")
      } else if !field.isOptional {
        result.append("\(path) lacks \(field.key), which the table of \(type) has")
      }
    }
    return result
  }
}

@Suite("The tables of docs/CLI_JSON.md")
struct DocumentedAnswersTests {
  private func object(_ text: String) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any], "\(text)")
  }

  private func auditSchema() throws -> [String: Any] {
    let schema = try JSONSerialization.jsonObject(
      with: Data(contentsOf: packageRoot.appendingPathComponent("docs/audit.schema.json"))
    )
    return try #require(schema as? [String: Any])
  }

  @Test("Answers of the program match the tables or the schema, for every type.")
  func answers() throws {
    let document = try Document()
    let root = try auditSchema()
    var seen: Set<String> = []
    func note(_ text: String) throws {
      for line in text.split(separator: "\n") {
        let object = try object(String(line))
        let type = try #require(object["type"] as? String)
        seen.insert(type)
        let found =
          document.answers.contains(type)
          ? document.violations(object, type) : violations(object, root, root)
        #expect(found == [], "\(type)")
      }
    }
    try withTemporaryFolder { folder in
      var world = HistoryWorld(SeededGenerator(for: "answers"))
      let url = folder.appendingPathComponent("a.store")
      let store = try Store.open(.file(url), schema: worldSchema)
      for _ in 0..<25 { try world.write(to: store) }
      let path = url.path
      let (logs, copy) = (folder.path + "/logs", folder.path + "/copy.store")
      func ask(_ words: String...) throws {
        let run = try travelog(words + ["--json"])
        #expect(run.code < 2, "\(words): \(run.errors)")
        try note(run.output)
      }
      try FileManager.default.createDirectory(atPath: logs, withIntermediateDirectories: false)
      try ask("status", path, "--logs", logs)
      let phone = folder.appendingPathComponent("phone.sqlite")
      try AppleFile.trips(at: phone).checkpoint()
      try ask("status", phone.path)
      try ask("show", phone.path, "1")
      for last in ["8", "16"] { try travelog("export", path, "--to", logs, "--until", last) }
      try ask("export", path, "--to", logs, "--snapshot")
      try ask("verify", logs, "--allow-unproven")
      try ask("checkpoint", logs)
      try ask("prove", logs, "3")
      let tree = "\(logs)/store=\(store.identifier)/lineage=0/_tree"
      try ask("verify", logs, "--since", tree + "/checkpoint")
      let proof = folder.appendingPathComponent("change.proof")
      try Data(TreeTransaction(121, count: 5).proof(4).text.utf8).write(to: proof)
      try ask("verify", "--proof", proof.path, "--allow-unproven")
      try ask("import", logs, "--into", copy)
      try ask("status", path, "--logs", logs)
      try ask("check", path)
      try ask("recover", path, "--to", logs)
      try ask("log", path, "--patch")
      try ask("log", path, "--by", "author")
      try ask("log", path, "--by", "day")
      try ask("show", path, "3")
      // The last transaction proves the snapshot, and has no changes.
      let lines = try travelog("log", path, "--patch", "--limit", "5", "--json").output
        .split(separator: "\n")
      let differences = try lines.compactMap {
        try object(String($0))["differences"] as? [[String: Any]]
      }
      let change = try #require(differences.compactMap(\.first).first)
      let entity = try #require(change["entity"] as? String)
      let id = try #require(change["id"] as? String)
      try ask("blame", path, entity, id, "--history")
      try ask("diff", path + "@5", path)
      try ask("query", path + "@5", "SELECT * FROM Guest")
      try ask("query", path + "@5", "--tables")
      try ask("report", logs)
      try ask("compact", logs)
      try ask("prune", path, "--logs", logs, "--keep", "0s")
      try ask("promote", copy)
      let database = folder.path + "/app.db"
      try Connection(path: database, mode: .readWriteCreate).execute("CREATE TABLE t(a)")
      try ask("adopt", database)
      try ask("adopt", database, "--new-identity")
      try ask("status", database, "--logs", logs)
      try world.write(to: store)
      let head = try store.read { try $0.sealedHead() }
      try ask("undo", path, "\(head)")
      let gone = try travelog("log", logs, "--patch", "--json").output.split(separator: "\n")
        .compactMap { try object(String($0))["differences"] as? [[String: Any]] }.joined()
        .first { $0["op"] as? String == "delete" }
      let (goneEntity, goneID) = (gone?["entity"] as? String, gone?["id"] as? String)
      try ask(
        "erase",
        logs,
        "--entity",
        #require(goneEntity),
        "--id",
        #require(goneID),
        "--dry-run"
      )
      try note(travelog("verify", folder.path + "/none", "--json").errors)
      let audits = try #require(root["$defs"] as? [String: [String: Any]]).values.compactMap {
        (($0["properties"] as? [String: [String: Any]])?["type"])?["const"] as? String
      }
      #expect(seen == document.answers.union(audits))
    }
  }
}
