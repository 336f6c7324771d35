import Adoption
import Format
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite(
  "Random programs in files with tables and columns that are left out",
  .enabled(if: isInstalled("python3"), "there is no python3")
)
struct LeftOutProgramTests {
  /// The tables and columns of a file that can be left out.
  private func parts(of path: String) throws -> [LeftOut] {
    try Store.describeTables(of: path).flatMap { table -> [LeftOut] in
      guard case .triggers(let key) = table.recording else { return [] }
      let columns = table.columns.filter { !key.columns.contains($0.name) && !$0.isLeftOut }
      return columns.map { LeftOut(table: table.name, column: $0.name) }
        + [LeftOut(table: table.name)]
    }
  }

  @Test(
    "Whatever is left out and recorded again meanwhile, replicas equal the rest of the file.",
    arguments: SampleSchema.few
  )
  func choices(_ sample: SampleSchema) throws {
    let world = try AdoptedWorld(sample.sql)
    try world.compareReplicas("adoption")
    var generator = SeededGenerator(for: "LeftOutProgramTests \(sample.name)")
    for round in 0..<trials(3, long: 12) {
      let known = try readableStore(world.path).leftOutNames
      let added = try parts(of: world.path).randomElement(using: &generator)
      let removed = Bool.random(using: &generator) ? known.randomElement(using: &generator) : nil
      do {
        _ = try Store.leaveOut(
          world.path,
          adding: [added].compactMap(\.self),
          removing: [removed].compactMap(\.self)
        )
      } catch let error as StoreError where error.code == .misuse {
        // No table would be recorded.
        _ = try Store.leaveOut(world.path, adding: [], removing: known)
      }
      try world.run(
        RandomProgram(
          seed: "\(sample.name) \(round)",
          statements: trials(20, long: 200),
          flags: round % 2 == 0 ? [] : ["--ddl", "--drop", "--rename"]
        )
      )
      try world.compareReplicas("round \(round)")
    }
  }
}
