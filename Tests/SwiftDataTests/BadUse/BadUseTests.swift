import Foundation
import SQLite
import TestSupport
import Testing

@testable import SwiftData

@Model final class Stranger {
  var name = ""
  init() {}
}

@Suite("Misuse and failures")
struct BadUseTests {
  private func saved(_ folder: TemporaryFolder, _ count: Int = 1) throws -> URL {
    let url = folder.file("trips.store")
    let context = ModelContext(
      try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url))
    )
    for number in 0..<count { context.insert(Trip(name: "trip \(number)", destination: "Oslo")) }
    try context.save()
    return url
  }

  @Test("A file that is not a store is refused and not changed.", arguments: ["text", "database"])
  func notAStore(_ kind: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("other.file")
    if kind == "text" {
      try Data(String(repeating: "this is a text\n", count: 100).utf8).write(to: url)
    } else {
      let connection = try Connection(path: url.path, mode: .readWriteCreate)
      try connection.execute("CREATE TABLE notes (text); INSERT INTO notes VALUES ('keep me')")
    }
    let before = try Data(contentsOf: url)
    #expect {
      _ = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(url: url))
    } throws: {
      SwiftDataError.loadIssueModelContainer ~= $0 && "\($0)".contains("other.file")
    }
    #expect(try Data(contentsOf: url) == before)
  }

  @Test("The error of a value with a wrong type names its place, and nothing is lost.")
  func wrongType() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("types.store")
    do {
      let context = ModelContext(
        try ModelContainer(for: AllTypes.self, configurations: ModelConfiguration(url: url))
      )
      context.insert(AllTypes())
      try context.save()
    }
    for change in [
      "uuid = 'nobody'", "shape = '{\"nothing\":1}'", "mood = 'furious'",
      "decimal = 'many'", "address = '[]'",
    ] {
      let connection = try Connection(path: url.path, mode: .readWrite)
      try connection.execute("SAVEPOINT whole; UPDATE AllTypes SET \(change)")
      try connection.execute("RELEASE whole")
      let column = try #require(change.split(separator: " ").first)
      let context = ModelContext(
        try ModelContainer(for: AllTypes.self, configurations: ModelConfiguration(url: url))
      )
      #expect {
        _ = try context.fetch(FetchDescriptor<AllTypes>())
      } throws: {
        "\($0)".contains("AllTypes.\(column)") && "\($0)".contains("row 1")
      }
      try connection.execute(
        """
        UPDATE AllTypes SET uuid = '00000000-0000-0000-0000-000000000000', shape = '{"point":{}}',
          mood = 'calm', int8 = 1, decimal = '0', address = '{"street":"","zip":0}'
        """
      )
    }
    let context = ModelContext(
      try ModelContainer(for: AllTypes.self, configurations: ModelConfiguration(url: url))
    )
    #expect(try context.fetch(FetchDescriptor<AllTypes>()).first?.shape == .point)
  }

  @Test("A model that the container does not have is refused by name.")
  func unknownModel() throws {
    let context = ModelContext(try tripContainer())
    #expect(throws: SwiftDataError.unknownEntity) {
      _ = try context.fetch(FetchDescriptor<Stranger>())
    }
    context.insert(Stranger())
    #expect {
      try context.save()
    } throws: {
      SwiftDataError.unknownEntity ~= $0 && "\($0)".contains("Stranger")
    }
    context.insert(Trip(name: "A"))
    try context.save()
  }

  @Test("A model of another context is refused.")
  func foreignModel() throws {
    let container = try tripContainer()
    let first = ModelContext(container)
    let trip = Trip(name: "A")
    first.insert(trip)
    let second = ModelContext(container)
    second.insert(trip)
    #expect(throws: SwiftDataError.modelValidationFailure) { try second.save() }
    try first.save()
  }

  @Test("Saving an object that another context deleted fails, and the error names it.")
  func deletedElsewhere() throws {
    let folder = try TemporaryFolder()
    let url = try saved(folder, 2)
    let container = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(url: url)
    )
    let context = ModelContext(container)
    let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)]))
    let other = ModelContext(container)
    try other.delete(model: Trip.self, where: #Predicate { $0.name == "trip 0" })
    try other.save()
    trips[0].destination = "Bergen"
    trips[1].destination = "Voss"
    #expect { try context.save() } throws: { "\($0)".contains("Trip") && "\($0)".contains("row 1") }
    #expect(context.changedModelsArray.count == 2)
    context.delete(trips[0])
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Trip>())
    #expect(found.map(\.destination) == ["Voss"])
  }

  @Test("A store that another process locks is reported as locked, and the changes stay.")
  func locked() throws {
    let folder = try TemporaryFolder()
    let url = try saved(folder)
    var configuration = ModelConfiguration(url: url)
    configuration.busyTimeout = .milliseconds(50)
    let container = try ModelContainer(for: Trip.self, configurations: configuration)
    let holder = try Connection(path: url.path, mode: .readWrite)
    try holder.execute("BEGIN IMMEDIATE")
    let context = ModelContext(container)
    context.insert(Trip(name: "waiting"))
    #expect { try context.save() } throws: { "\($0)".contains("Another program is writing") }
    #expect(context.insertedModelsArray.count == 1)
    try holder.execute("ROLLBACK")
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 2)
  }

  @Test("A full disk during a save loses nothing, and the save can be repeated.")
  func fullDisk() throws {
    let folder = try TemporaryFolder()
    let url = try saved(folder)
    do {
      var configuration = ModelConfiguration(url: url)
      configuration.maximumPageCount = 100
      let container = try ModelContainer(for: Trip.self, configurations: configuration)
      let context = ModelContext(container)
      let big = String(repeating: "x", count: 10_000)
      for number in 0..<100 {
        context.insert(Trip(name: "big \(number)", destination: big))
      }
      #expect { try context.save() } throws: { "\($0)".contains("no space left") }
      #expect(context.insertedModelsArray.count == 100)
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 1)
      context.rollback()
      context.insert(Trip(name: "small"))
      try context.save()
    }
    let container = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(url: url)
    )
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Trip>()) == 2)
  }

  @Test("A folder that can't be created is reported.")
  func noFolder() throws {
    let folder = try TemporaryFolder()
    let file = folder.file("file")
    try Data().write(to: file)
    #expect {
      _ = try ModelContainer(
        for: Trip.self,
        configurations: ModelConfiguration(url: file.appendingPathComponent("trips.store"))
      )
    } throws: {
      SwiftDataError.loadIssueModelContainer ~= $0 && "\($0)".contains("file")
    }
  }

  @Test("A configuration name that can't be a file name is refused.", arguments: ["a/b", "a\0b"])
  func configurationNames(_ name: String) throws {
    #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      _ = try ModelContainer(for: Trip.self, configurations: ModelConfiguration(name))
    }
    #expect(throws: SwiftDataError.configurationFileNameTooLong) {
      _ = try ModelContainer(
        for: Trip.self,
        configurations: ModelConfiguration(String(repeating: "x", count: 300))
      )
    }
  }

  @Test("Errors match by their codes in all three spellings.")
  func spellings() {
    func fail() throws { throw SwiftDataError.historyTokenExpired }
    var caught = 0
    do { try fail() } catch SwiftDataError.historyTokenExpired { caught += 1 } catch {}
    do { try fail() } catch {
      if error as? SwiftDataError == .historyTokenExpired { caught += 1 }
      if SwiftDataError.historyTokenExpired ~= error { caught += 1 }
      if SwiftDataError.unknownSchema ~= error { caught += 100 }
    }
    #expect(caught == 3)
  }
}
