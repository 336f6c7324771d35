import ChangeLog
import Format
import Foundation
import Pipeline
import Store
import Testing

/// A store whose migrations renamed an entity and its attribute, and later added another entity
/// with the old name, and its logs.
///
/// A Person with a phone is now a Human with a mobile, and there are other Persons.
struct RenamedWorld {
  let store: String
  let logs: String

  /// Creates it, with or without the later entity Person.
  init(_ folder: URL, hasOthers: Bool = true) throws {
    let url = folder.appendingPathComponent("a.store")
    let logs = LogFolder(folder.path + "/logs")
    try logs.create()
    let old = try Store.open(.file(url), schema: Self.schema("1.0.0", "Person", "phone"))
    let person = try #require(old.schema.index(of: "Person"))
    try old.write(Author(name: "app")) { writer in
      try writer.insert(person, id: 1, values: [.text("555 1"), .text("Oslo")])
      try writer.insert(EntityIndex(1 - person.number), id: 1, values: [.text("Rex")])
    }
    try old.write(Author(name: "desk")) {
      try $0.update(person, id: 1, columns: [1], values: [.text("Bergen")])
    }
    let new = Self.schema("2.0.0", "Human", "mobile")
    try Migration.migrate(url, to: new, author: Author(name: "migrator"))
    let human = try #require(new.index(of: "Human"))
    try Store.open(.file(url)).write(Author(name: "widget")) {
      try $0.update(human, id: 1, columns: [0], values: [.text("555 2")])
    }
    if hasOthers {
      var last = Self.schema("3.0.0", "Human", "mobile")
      last.entities.append(
        Entity(name: "Person", attributes: [Attribute(name: "phone", type: .string)])
      )
      try Migration.migrate(url, to: last, author: Author(name: "migrator"))
      let store = try Store.open(.file(url))
      let other = try #require(store.schema.index(of: "Person"))
      try store.write(Author(name: "other")) {
        try $0.insert(other, id: 1, values: [.text("555 1")])
      }
    }
    _ = try export(ExportRequest(store: url.path, logs: logs))
    self.store = url.path
    self.logs = logs.path
  }

  private static func schema(
    _ version: String,
    _ entity: String,
    _ attribute: String
  ) -> StoreSchema {
    let isSecond = version == "2.0.0"
    return StoreSchema(
      version: version,
      entities: [
        Entity(name: "Dog", attributes: [Attribute(name: "name", type: .string)]),
        Entity(
          name: entity,
          attributes: [
            Attribute(name: attribute, type: .string, originalName: isSecond ? "phone" : nil),
            Attribute(name: "town", type: .string),
          ],
          originalName: isSecond ? "Person" : nil
        ),
      ]
    )
  }
}
