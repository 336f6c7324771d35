import Foundation
import SwiftData
import Testing

@Suite("The order of fetches without a sort")
struct FetchOrderTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try tripContainer()
    context = ModelContext(container)
    for name in ["s1", "s2", "s3"] { context.insert(Trip(name: name)) }
    try context.save()
  }

  private func names(_ edit: (inout FetchDescriptor<Trip>) -> Void = { _ in }) throws -> [String] {
    var descriptor = FetchDescriptor<Trip>()
    edit(&descriptor)
    return try context.fetch(descriptor).map(\.name)
  }

  @Test("Saved objects are first, then new ones by insertion, before and after the save.")
  func insertionOrder() throws {
    let late = Trip(name: "n2")
    let early = Trip(name: "n1")
    context.insert(early)
    #expect(try names() == ["s1", "s2", "s3", "n1"])
    context.insert(late)
    context.insert(Trip(name: "n3"))
    let all = ["s1", "s2", "s3", "n1", "n2", "n3"]
    #expect(try names() == all)
    try #require(try context.fetch(FetchDescriptor<Trip>()).first).destination = "changed"
    early.destination = "changed"
    #expect(try names() == all)
    #expect(
      try names {
        $0.fetchOffset = 2; $0.fetchLimit = 3
      } == ["s3", "n1", "n2"]
    )
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<Trip>())
    #expect(identifiers.compactMap { (context.model(for: $0) as? Trip)?.name } == all)
    var visited: [String] = []
    try context.enumerate(FetchDescriptor<Trip>(), batchSize: 2) { visited.append($0.name) }
    #expect(visited == all)
    try context.save()
    #expect(try names() == all)
  }

  @Test("Objects that a sort finds equal are in that order too, in both directions.")
  func ties() throws {
    for name in ["n1", "n2"] { context.insert(Trip(name: name)) }
    let all = ["s1", "s2", "s3", "n1", "n2"]
    #expect(try names { $0.sortBy = [SortDescriptor(\.destination)] } == all)
    #expect(try names { $0.sortBy = [SortDescriptor(\.destination, order: .reverse)] } == all)
  }

  @Test("An object that was deleted and inserted again before its save is last.")
  func insertedAgain() throws {
    let first = Trip(name: "n1")
    context.insert(first)
    context.insert(Trip(name: "n2"))
    context.delete(first)
    context.insert(first)
    #expect(try names() == ["s1", "s2", "s3", "n2", "n1"])
    context.delete(first)
    #expect(try names() == ["s1", "s2", "s3", "n2"])
    context.insert(first)
    context.insert(Trip(name: "n3"))
    #expect(try names() == ["s1", "s2", "s3", "n2", "n1", "n3"])
  }
}
