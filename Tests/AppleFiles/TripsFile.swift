import Foundation

extension FileModel {
  /// The models of the document about moving an app.
  package static let trips = FileModel(entities: [
    Entity(
      name: "Trip",
      attributes: [
        Attribute(name: "name", type: 700, isOptional: false, flags: 16),
        Attribute(name: "start", type: 900, isOptional: false),
      ],
      relationships: [
        Relationship(
          name: "items",
          destination: "Item",
          inverse: "trip",
          maximum: 0,
          deleteRule: 2
        )
      ],
      uniques: [["name"]]
    ),
    Entity(
      name: "Item",
      attributes: [
        Attribute(name: "title", type: 700, isOptional: false),
        Attribute(name: "isDone", type: 800, isOptional: false),
      ],
      relationships: [Relationship(name: "trip", destination: "Trip", inverse: "items")]
    ),
  ])
}

extension AppleFile {
  /// The file of `sample-data/phone`: a diary of trips, as an app and its widget write it.
  package static func trips(at url: URL) throws -> AppleFile {
    let file = try AppleFile(url, .trips, version: "1.0.0")
    let norway = file.insert("Trip", ["name": .text("Norway"), "start": .real(801_000_000)])
    let peru = file.insert("Trip", ["name": .text("Peru"), "start": .real(803_000_000)])
    let items = ["Fjord", "Museum"].map {
      file.insert("Item", ["title": .text($0), "isDone": .integer(0)])
    }
    for item in items { file.set(item, "trip", .integer(norway.id)) }
    try file.save(author: "app", context: "planning", time: 800_000_000)
    file.set(items[0], "isDone", .integer(1))
    try file.save(author: "widget", time: 800_086_400)
    file.set(norway, "name", .text("Norway and Lapland"))
    file.set(items[1], "title", .text("Munch Museum"))
    try file.save(author: "app", context: "planning", time: 800_172_800)
    file.set(norway, "name", .text("Norway"))
    _ = file.insert("Trip", ["name": .text("Korea"), "start": .real(802_000_000.125)])
    try file.save(author: "app", context: "planning", time: 800_259_200)
    file.delete(peru)
    try file.save(author: "app", time: 800_345_600)
    return file
  }
}
