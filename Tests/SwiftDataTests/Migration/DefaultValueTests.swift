import Foundation
import SwiftData
import TestSupport
import Testing

// The defaults differ like UUID() and Date.now between two runs of a program.
private enum FirstRun: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Ticket.self] }

  @Model final class Ticket {
    var number = 1
    init() {}
  }
}

private enum SecondRun: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Ticket.self] }

  @Model final class Ticket {
    var number = 2
    init() {}
  }
}

private enum TicketPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [SecondRun.self] }
  static var stages: [MigrationStage] { [] }
}

@Suite("Default values that differ between runs")
struct DefaultValueTests {
  @Test(
    "A default value that differs from the last run's causes no migration, with or without a plan.",
    arguments: [true, false]
  )
  func noMigration(hasPlan: Bool) throws {
    try withTemporaryFolder { folder in
      let file = ModelConfiguration(url: folder.appending(path: "tickets.store"))
      let first = ModelContext(try ModelContainer(for: FirstRun.Ticket.self, configurations: file))
      first.insert(FirstRun.Ticket())
      try first.save()

      let container = try ModelContainer(
        for: SecondRun.Ticket.self,
        migrationPlan: hasPlan ? TicketPlan.self : nil,
        configurations: file
      )
      let second = ModelContext(container)
      second.insert(SecondRun.Ticket())
      try second.save()
      first.insert(FirstRun.Ticket())
      try first.save()
      let numbers = try second.fetch(FetchDescriptor<SecondRun.Ticket>()).map(\.number)
      #expect(numbers.sorted() == [1, 1, 2])
      let history = try second.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(history.map(\.changes.count) == [1, 1, 1])
    }
  }
}
