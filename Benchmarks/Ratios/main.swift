import Foundation

/// Prints one line of the table.
func row(_ name: String, _ columns: String...) {
  let left = name.padding(toLength: 50, withPad: " ", startingAt: 0)
  let right = columns.map { column in
    String(repeating: " ", count: max(0, 10 - column.count)) + column
  }
  print(left + right.joined())
}

// Benchmarks [count [runs]] [word…]: how many models, how often, and which lines by their words.
let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
let words = CommandLine.arguments.dropFirst().filter { Int($0) == nil }
let count = numbers.first ?? 100_000
let runs = numbers.dropFirst().first ?? 7
let folder = FileManager.default.temporaryDirectory
  .appending(path: "travelog-" + UUID().uuidString, directoryHint: .isDirectory)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
do {
  let budgets = try TripBudgets(count: count, folder: folder).budgets
  print("Medians of \(runs) runs; the peer is C with prepared statements on the same tables.")
  row("", "peer ms", "ours ms", "ratio", "budget", "")
  for budget in budgets where words.isEmpty || words.contains(where: budget.name.contains) {
    let measured = try Measurement(budget, runs: runs)
    row(
      budget.name,
      String(format: "%.0f", measured.peer * 1_000),
      String(format: "%.0f", measured.ours * 1_000),
      String(format: "%.2f", measured.ratio),
      String(format: "%.1f", budget.limit),
      measured.ratio <= budget.limit ? "met" : "missed"
    )
  }
} catch {
  try FileManager.default.removeItem(at: folder)
  throw error
}
try FileManager.default.removeItem(at: folder)
