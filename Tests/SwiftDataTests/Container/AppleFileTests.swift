import AppleFiles
import ChangeLog
import Format
import Foundation
import Pipeline
import Store
import SwiftData
import TestSupport
import Testing

/// The classes of an app whose store Apple's SwiftData wrote.
private enum Library: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 1, 0) }
  static var models: [any PersistentModel.Type] {
    [Book.self, Novel.self, Writer.self, Passport.self, Tag.self, Chapter.self]
  }

  enum Genre: String, Codable { case crime, poetry }
  enum Cover: String, Codable { case hard, soft }
  enum Binding: Codable, Equatable { case glued, sewn }

  struct Size: Codable, Equatable {
    var width: Double
    var height: Double?
  }

  @Model class Book {
    @Attribute(.unique) var number: String
    @Attribute(.preserveValueOnDeletion) var title: String
    var pages = 0
    var rating: Int16?
    var weight: Float
    var price: Decimal?
    var isLent = false
    var added: Date
    var key: UUID
    var site: URL?
    var genre: Genre?
    var binding: Binding?
    var size: Size
    @Attribute(.externalStorage) var picture: Data?
    var author: Writer?
    @Relationship(inverse: \Tag.books) var tags: [Tag] = []
    @Relationship(deleteRule: .cascade) var chapters: [Chapter] = []

    init(number: String, title: String) {
      (self.number, self.title) = (number, title)
      (weight, added, key, size) = (1, .now, UUID(), Size(width: 1))
    }
  }

  @available(macOS 26, *)
  @Model final class Novel: Book {
    var isSeries = false

    override init(number: String, title: String) { super.init(number: number, title: title) }
  }

  @Model final class Writer {
    var name: String
    @Relationship(inverse: \Book.author) var books: [Book] = []
    @Relationship(deleteRule: .cascade, inverse: \Passport.owner) var passport: Passport?

    init(name: String) { self.name = name }
  }

  @Model final class Passport {
    var number: String
    var owner: Writer?

    init(number: String) { self.number = number }
  }

  @Model final class Tag {
    var name: String
    var books: [Book] = []

    init(name: String) { self.name = name }
  }

  @Model final class Chapter {
    var text: String

    init(text: String) { self.text = text }
  }
}

extension FileModel {
  fileprivate static let library = FileModel(entities: [
    Entity(
      name: "Book",
      attributes: [
        Attribute(name: "number", type: 700, isOptional: false),
        Attribute(name: "title", type: 700, isOptional: false, flags: 16),
        Attribute(name: "pages", type: 300, isOptional: false),
        Attribute(name: "rating", type: 100),
        Attribute(name: "weight", type: 600, isOptional: false),
        Attribute(name: "price", type: 400),
        Attribute(name: "isLent", type: 800, isOptional: false),
        Attribute(name: "added", type: 900, isOptional: false),
        Attribute(name: "key", type: 1100, isOptional: false),
        Attribute(name: "site", type: 1200),
        Attribute(
          name: "genre",
          type: 2100,
          elements: [Attribute(name: "genre", type: 700)],
          isEnumeration: true
        ),
        Attribute(
          name: "binding",
          type: 2100,
          elements: [Attribute(name: "glued", type: 700), Attribute(name: "sewn", type: 700)],
          isEnumeration: true
        ),
        Attribute(
          name: "size",
          type: 2100,
          isOptional: false,
          elements: [
            Attribute(name: "width", type: 500, isOptional: false),
            Attribute(name: "height", type: 500),
          ]
        ),
        Attribute(name: "picture", type: 1000, flags: 4),
      ],
      relationships: [
        Relationship(name: "author", destination: "Writer", inverse: "books"),
        Relationship(name: "tags", destination: "Tag", inverse: "books", maximum: 0),
        Relationship(name: "chapters", destination: "Chapter", maximum: 0, deleteRule: 2),
      ],
      uniques: [["number"]]
    ),
    Entity(
      name: "Novel",
      parent: "Book",
      attributes: [Attribute(name: "isSeries", type: 800, isOptional: false)]
    ),
    Entity(
      name: "Writer",
      attributes: [Attribute(name: "name", type: 700, isOptional: false)],
      relationships: [
        Relationship(name: "books", destination: "Book", inverse: "author", maximum: 0),
        Relationship(name: "passport", destination: "Passport", inverse: "owner", deleteRule: 2),
      ]
    ),
    Entity(
      name: "Passport",
      attributes: [Attribute(name: "number", type: 700, isOptional: false)],
      relationships: [Relationship(name: "owner", destination: "Writer", inverse: "passport")]
    ),
    Entity(
      name: "Tag",
      attributes: [Attribute(name: "name", type: 700, isOptional: false)],
      relationships: [Relationship(name: "books", destination: "Book", inverse: "tags", maximum: 0)]
    ),
    Entity(name: "Chapter", attributes: [Attribute(name: "text", type: 700, isOptional: false)]),
  ])
}

/// The present class of an app, which was the class Trip with a name.
private enum Renamed {
  @Model final class Journey {
    @Attribute(.unique, originalName: "name") var title: String
    init(title: String) { self.title = title }
  }
}

/// Types that Apple's files store under the name of another type.
private enum Small {
  @Model final class Dose {
    var count: UInt8
    init(count: UInt8) { self.count = count }
  }
}

private enum Wide {
  @Model final class Dose {
    var count: Int
    init(count: Int) { self.count = count }
  }
}

@Suite("Programs that open what Apple's SwiftData wrote", .serialized)
struct AppleFileTests {
  /// Makes a store for programs from a file; a replica if it isn't promoted.
  private func move(_ file: AppleFile, isPromoted: Bool = true) throws -> URL {
    let folder = file.url.deletingLastPathComponent()
    let store = folder.appending(path: "ours.store")
    let logs = LogFolder(folder.appending(path: "logs").path)
    try logs.create()
    _ = try export(ExportRequest(store: file.url.path, logs: logs))
    _ = try importLogs(ImportRequest(logs: logs, store: store.path))
    if isPromoted { try Store.open(.file(store)).promote() }
    return store
  }

  @Test("Objects, relationships and history have the values of the file, by key path.")
  func library() throws {
    try withTemporaryFolder { folder in
      let file = try AppleFile(folder.appending(path: "default.store"), .library)
      let key = UUID()
      let bytes = withUnsafeBytes(of: key.uuid) { Array($0) }
      let values: [String: FileValue] = [
        "number": .text("7"), "title": .text("Sult"), "pages": .integer(200),
        "rating": .integer(5), "weight": .real(0.5), "price": .real(12.5), "isLent": .integer(1),
        "added": .real(700_000_000), "key": .blob(bytes), "site": .text("https://example.org/7"),
        "genre": .leaves([.text("crime")]), "binding": .leaves([.null, .text("sewn")]),
        "size": .leaves([.real(12), .null]), "picture": .outside([1, 2, 3]),
      ]
      let book = file.insert("Book", values)
      var others = values
      (others["number"], others["title"]) = (.text("8"), .text("Pan"))
      others["isSeries"] = .integer(1)
      let novel = file.insert("Novel", others)
      let writer = file.insert("Writer", ["name": .text("Hamsun")])
      let passport = file.insert("Passport", ["number": .text("N 1")])
      let tag = file.insert("Tag", ["name": .text("Norway")])
      let chapter = file.insert("Chapter", ["text": .text("It was in those days")])
      file.set(writer, "passport", .integer(passport.id))
      for item in [book, novel] {
        file.set(item, "author", .integer(writer.id))
        file.link(item, "tags", tag)
      }
      file.link(book, "chapters", chapter)
      try file.save(author: "app")
      file.set(writer, "name", .text("Knut Hamsun"))
      try file.save(author: "widget")
      file.delete(novel)
      try file.save(author: "app")
      // Without commits in the log, only the present rows are known.
      try file.checkpoint()

      let replica = try move(file, isPromoted: false)
      let stored = try Store.open(.file(replica)).schema
      var context = try open(replica)
      // No migration is needed.
      let wanted = try Store.open(.file(replica)).schema
      #expect(wanted.differences(fromStored: stored) == [])
      let all = try context.fetch(FetchDescriptor<Library.Book>())
      let found = try #require(all.first)
      #expect(all.count == 1)
      #expect(found.number == "7" && found.title == "Sult" && found.pages == 200)
      #expect(found.rating == 5 && found.weight == 0.5 && found.price == 12.5 && found.isLent)
      #expect(found.added == Date(timeIntervalSinceReferenceDate: 700_000_000))
      #expect(found.key == key && found.site == URL(string: "https://example.org/7"))
      #expect(found.genre == .crime && found.binding == .sewn)
      #expect(found.size == Library.Size(width: 12))
      #expect(found.picture == Data([1, 2, 3]))
      #expect(found.author?.name == "Knut Hamsun" && found.author?.passport?.number == "N 1")
      #expect(found.tags.map(\.name) == ["Norway"])
      #expect(found.chapters.map(\.text) == ["It was in those days"])
      #expect(found.author?.books.map(\.number) == ["7"])

      let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(history.map(\.author) == ["app", "widget", "app"])
      let updates = history[1].changes.compactMap { change in
        if case .update(let update as DefaultHistoryUpdate<Library.Writer>) = change {
          update
        } else {
          nil
        }
      }
      let update = try #require(updates.first)
      #expect(update.updatedAttributes == [\.name])
      #expect(update.values[\.name] as? String == "Knut Hamsun")
      // The file does not say which name the writer had before.
      #expect(update.previousValues.names.isEmpty)
      #expect(history[1].changes.count == 1)
      let deletions = history[2].changes.compactMap { change in
        if case .delete(let delete as DefaultHistoryDelete<Library.Novel>) = change {
          delete.tombstone[\.title] as? String
        } else {
          nil
        }
      }
      #expect(deletions == ["Pan"])

      // The next import continues, although a program has opened the replica.
      file.set(writer, "name", .text("Hamsun"))
      try file.save(author: "later")
      _ = try move(file, isPromoted: false)
      let more = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(more.map(\.author) == ["app", "widget", "app", "later"])

      // A promoted store is an ordinary one.
      try Store.open(.file(replica)).promote()
      context = try open(replica)
      try context.fetch(FetchDescriptor<Library.Book>()).first?.title = "Hunger"
      context.insert(Library.Tag(name: "Classics"))
      try context.save()
      let last = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(last.map(\.changes.count).filter { $0 > 0 } == [2])
    }
  }

  private func open(_ store: URL) throws -> ModelContext {
    let configuration = ModelConfiguration(url: store)
    return ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: Library.self),
        configurations: configuration
      )
    )
  }

  @Test("A wider type than that of the file is an ordinary migration.")
  func widerType() throws {
    try withTemporaryFolder { folder in
      let file = try doses(in: folder)
      let context = ModelContext(
        try ModelContainer(
          for: Wide.Dose.self,
          configurations: ModelConfiguration(url: move(file))
        )
      )
      #expect(try context.fetch(FetchDescriptor<Wide.Dose>()).map(\.count) == [200])
    }
  }

  @Test(
    "A type that the file does not have is an error with the entity, the property and both types."
  )
  func otherType() throws {
    try withTemporaryFolder { folder in
      let store = try move(doses(in: folder))
      do {
        _ = try ModelContainer(
          for: Small.Dose.self,
          configurations: ModelConfiguration(url: store)
        )
        Issue.record("Int16 became UInt8.")
      } catch {
        for word in ["Dose", "count", "int16", "uint8"] { #expect("\(error)".contains(word)) }
      }
    }
  }

  @Test("A class and an attribute that the app renamed have their history under the new names.")
  func renamed() throws {
    try withTemporaryFolder { folder in
      let file = try norway(in: folder)
      let journey = FileModel.Entity(
        name: "Journey",
        attributes: [
          FileModel.Attribute(name: "title", type: 700, isOptional: false, renaming: "name")
        ],
        uniques: [["title"]],
        renaming: "Trip"
      )
      try file.migrate(to: FileModel(entities: [journey]))
      file.set(try #require(file.rows.keys.first), "title", .text("Lapland"))
      try file.save(author: "widget")
      let store = try move(file, isPromoted: false)
      let stored = try Store.open(.file(store)).schema
      let context = ModelContext(
        try ModelContainer(
          for: Renamed.Journey.self,
          configurations: ModelConfiguration(url: store)
        )
      )
      #expect(try Store.open(.file(store)).schema.differences(fromStored: stored) == [])
      #expect(try context.fetch(FetchDescriptor<Renamed.Journey>()).map(\.title) == ["Lapland"])
      let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(history.first?.author == "app" && history.last?.author == "widget")
      let inserted = history[0].changes.compactMap { change in
        if case .insert(let one as DefaultHistoryInsert<Renamed.Journey>) = change {
          one
        } else {
          nil
        }
      }
      #expect(inserted.count == 1)
      let updated = history.last?.changes.compactMap { change in
        if case .update(let one as DefaultHistoryUpdate<Renamed.Journey>) = change {
          one.updatedAttributes
        } else {
          nil
        }
      }
      #expect(updated == [[\.title]])
    }
  }

  @Test("A class that was renamed since the file is a migration, which records what it removes.")
  func renamedSince() throws {
    try withTemporaryFolder { folder in
      let store = try move(norway(in: folder))
      let context = ModelContext(
        try ModelContainer(
          for: Renamed.Journey.self,
          configurations: ModelConfiguration(url: store)
        )
      )
      #expect(try context.fetch(FetchDescriptor<Renamed.Journey>()).isEmpty)
      let history = try History(store.path)
      var removed: [String] = []
      try history.source.read(try #require(history.range), wants: { _ in true }) { change, _ in
        if change.kind == .delete { removed.append(String(decoding: change.before, as: UTF8.self)) }
      } transaction: { _ in
      }
      #expect(removed == [#"{"name":"Norway"}"#])
    }
  }

  private func norway(in folder: URL) throws -> AppleFile {
    let trip = FileModel.Entity(
      name: "Trip",
      attributes: [FileModel.Attribute(name: "name", type: 700, isOptional: false)],
      uniques: [["name"]]
    )
    let file = try AppleFile(
      folder.appending(path: "default.store"),
      FileModel(entities: [trip]),
      version: "1.0.0"
    )
    _ = file.insert("Trip", ["name": .text("Norway")])
    try file.save(author: "app")
    return file
  }

  private func doses(in folder: URL) throws -> AppleFile {
    let dose = FileModel.Entity(
      name: "Dose",
      attributes: [FileModel.Attribute(name: "count", type: 100, isOptional: false)]
    )
    let file = try AppleFile(
      folder.appending(path: "default.store"),
      FileModel(entities: [dose]),
      version: "1.0.0"
    )
    _ = file.insert("Dose", ["count": .integer(200)])
    try file.save()
    return file
  }

  @Test("The error of a program that opens the file itself says how to make a store of it.")
  func opened() throws {
    try withTemporaryFolder { folder in
      let file = try doses(in: folder)
      let error = #expect(throws: SwiftDataError.self) {
        _ = try ModelContainer(
          for: Wide.Dose.self,
          configurations: ModelConfiguration(url: file.url)
        )
      }
      let text = error.map { "\($0)" } ?? ""
      for word in ["export", "import", "promote"] { #expect(text.contains(word), "\(text)") }
    }
  }
}
