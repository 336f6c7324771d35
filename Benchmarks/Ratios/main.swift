import Foundation

/// Prints one line of the table.
func row(_ name: String, _ columns: String...) {
  let left = name.padding(toLength: 52, withPad: " ", startingAt: 0)
  let right = columns.map { column in
    String(repeating: " ", count: max(0, 10 - column.count)) + column
  }
  print(left + right.joined())
}

// Benchmarks [models|logs] [count [runs]] [word…]: which part, how many models or changes, how often,
// and which lines by their words.
let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.compactMap { Int($0) }
let words = arguments.filter { Int($0) == nil && !["models", "logs"].contains($0) }
let runs = numbers.dropFirst().first ?? 7

func show(_ budgets: [Budget]) throws {
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
}

let folder = FileManager.default.temporaryDirectory
  .appending(path: "travelog-" + UUID().uuidString, directoryHint: .isDirectory)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
do {
  if !arguments.contains("logs") {
    let count = numbers.first ?? 100_000
    print("\(count) models, medians of \(runs) runs; the peer is C on the same tables.")
    row("", "peer ms", "ours ms", "ratio", "budget", "")
    try show(TripBudgets(count: count, folder: folder).budgets)
  }
  if !arguments.contains("models") {
    let count = numbers.first ?? 1_000_000
    print("\(count) changes of SampleTrips, medians of \(runs) runs; peers do the same work.")
    row("", "peer ms", "ours ms", "ratio", "budget", "")
    let budgets = try LogBudgets(count: count, folder: folder)
    try show(budgets.budgets)
    budgets.free()
  }
} catch {
  try FileManager.default.removeItem(at: folder)
  throw error
}
try FileManager.default.removeItem(at: folder)
