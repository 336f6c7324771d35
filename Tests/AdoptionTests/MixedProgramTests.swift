import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

@Suite(
  "Random programs and migrations between exports",
  .enabled(if: isInstalled("python3") && isInstalled("sqlite3"), "there is no python3 or sqlite3")
)
struct MixedProgramTests {
  /// What can happen between two exports.
  private enum Step: CaseIterable {
    case statements, twoPrograms, migration, migrationBesideWork, changedTables, silence, vacuum
  }

  private let statements = trials(20, long: 200)

  private func take(_ step: Step, _ world: AdoptedWorld, _ seed: String) throws {
    func program(_ client: Client, _ flags: String...) -> RandomProgram {
      RandomProgram(client: client, seed: seed, statements: statements, flags: flags)
    }
    switch step {
    case .statements: try world.run(program(.python))
    case .twoPrograms: try world.run(program(.python, "--brackets"), program(.shell))
    case .migration:
      _ = try Store.suspend(world.path) { try world.run(program(.python, "--ddl", "--drop")) }
    case .migrationBesideWork:
      _ = try Store.suspend(world.path) {
        try world.run(program(.shell, "--ddl", "--drop"), program(.python))
      }
    // Without suspending.
    case .changedTables: try world.run(program(.python, "--ddl", "--drop", "--rename"))
    case .silence: try world.run(.silent(seed, statements))
    case .vacuum: try world.run("VACUUM")
    }
  }

  @Test(
    "After random migrations and statements between exports, all replicas equal the file.",
    arguments: SampleSchema.few
  )
  func mixture(_ sample: SampleSchema) throws {
    for trial in 0..<trials(1, long: 2) {
      let world = try AdoptedWorld(sample.sql)
      try world.compareReplicas("adoption")
      var generator = SeededGenerator(for: "MixedProgramTests \(sample.name) \(trial)")
      for round in 0..<trials(3, long: 8) {
        let step = Step.allCases.randomElement(using: &generator) ?? .statements
        try take(step, world, "\(sample.name) \(trial) \(round)")
        try world.compareReplicas("round \(round) of \(step)")
      }
    }
  }
}
