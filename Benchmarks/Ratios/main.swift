import Foundation

func row(_ name: String, _ columns: String...) { row(name, columns) }

func row(_ name: String, _ columns: [String]) {
  let left = name.padding(toLength: 52, withPad: " ", startingAt: 0)
  let right = columns.map { column in
    String(repeating: " ", count: max(0, 10 - column.count)) + column
  }
  print(left + right.joined())
}

// Benchmarks [models|logs|program|big|proofs|capture|followed|past|apple] [count [runs]] [word…]:
// the parts, the number of models or changes, the number of runs, and words of the names of
// measurements.
let parts: Set = [
  "models", "logs", "program", "big", "proofs", "capture", "followed", "past", "apple",
]
let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.compactMap { Int($0) }
let words = arguments.filter { Int($0) == nil && !parts.contains($0) }
let wanted = parts.intersection(arguments).isEmpty ? parts : parts.intersection(arguments)
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

func show(_ figures: [Figure]) throws {
  for figure in figures where words.isEmpty || words.contains(where: figure.name.contains) {
    let measured = median(try (0..<max(1, runs)).map { _ in try figure.measure() })
    row(
      figure.name,
      "",
      String(format: "%.0f", measured),
      "",
      String(format: "%.0f", figure.limit),
      measured <= figure.limit ? "met" : "missed"
    )
  }
}

func show(_ tasks: [BookTask], count: Int) throws {
  for task in tasks where words.isEmpty || words.contains(where: task.name.contains) {
    let small = try (0..<max(1, runs)).map { _ in try task.measure(count, in: folder) }
    let large = try (0..<max(1, runs)).map { _ in try task.measure(2 * count, in: folder) }
    let columns = [small, large].flatMap { pairs in
      [
        String(format: "%.1f", median(pairs.map(\.peer)) * 1_000),
        String(format: "%.1f", median(pairs.map(\.ours)) * 1_000),
        String(format: "%.2f", median(pairs.map { $0.ours / $0.peer })),
      ]
        + (pairs.allSatisfy { $0.grdb == nil }
          ? []
          : [String(format: "%.2f", median(pairs.map { $0.ours / ($0.grdb ?? .nan) }))])
    }
    let growth = median(large.map(\.ours)) / median(small.map(\.ours))
    row(task.name, columns + [String(format: "%.2f", growth)])
  }
}

let folder = FileManager.default.temporaryDirectory
  .appending(path: "travelog-" + UUID().uuidString, directoryHint: .isDirectory)
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
do {
  if wanted.contains("models") {
    let count = numbers.first ?? 100_000
    print("\(count) models, medians of \(runs) runs; the peer is C on the same tables.")
    row("", "peer ms", "ours ms", "ratio", "budget", "")
    try show(TripBudgets(count: count, folder: folder).budgets)
    print(
      "Books and a tenth as many authors: processor time at \(count) and \(2 * count), and the growth."
    )
    let columns = ["peer ms", "ours ms", "ratio"] + (GRDBProgram.path == nil ? [] : ["to GRDB"])
    row("", columns + columns + ["growth"])
    try show(BookTasks.all, count: count)
  }
  if wanted.contains("logs") {
    let count = numbers.first ?? 1_000_000
    print("\(count) changes of SampleTrips, medians of \(runs) runs; peers do the same work.")
    row("", "peer ms", "ours ms", "ratio", "budget", "")
    let budgets = try LogBudgets(count: count, folder: folder)
    try show(budgets.budgets)
    budgets.free()
  }
  if wanted.contains("program") {
    let count = numbers.first ?? 1_000_000
    print("travelog over \(count) changes of SampleTrips, medians of \(runs) runs.")
    row("", "peer ms", "ours", "ratio", "budget", "")
    let budgets = try ProgramBudgets(count: count, folder: folder)
    try show(budgets.budgets)
    try show(budgets.figures)
  }
  if wanted.contains("capture") {
    let count = numbers.first ?? 50_000
    print("\(count) rows of an adopted file, processor time, medians of \(runs) runs.")
    row("", "peer ms", "ours ms", "ratio", "budget", "")
    try show(CaptureBudgets(count: count, folder: folder).budgets)
  }
  if wanted.contains("followed") {
    let count = numbers.first ?? 1_000_000
    print("A history file beside a database of \(count) rows, medians of \(runs) runs.")
    row("", "peer ms", "ours", "ratio", "budget", "")
    let program = try ProgramBudgets(count: 1_000, folder: folder)
    let budgets = try FollowedBudgets(count: count, program: program, folder: folder)
    try show(budgets.budgets)
    try show(budgets.figures)
  }
  if wanted.contains("apple") {
    let count = numbers.first ?? 450_000
    print("A store of Core Data with \(count) transactions, medians of \(runs) runs.")
    row("", "peer ms", "ours", "ratio", "budget", "")
    let budgets = try AppleBudgets(count: count, folder: folder)
    try show(budgets.budgets)
    try show(budgets.figures)
  }
  if wanted.contains("past") {
    let count = numbers.first ?? 1_000_000
    print("Queries at earlier points, \(count) changes, medians of \(runs) runs.")
    row("", "peer ms", "ours", "ratio", "budget", "")
    let program = try ProgramBudgets(count: 1_000, folder: folder)
    let budgets = try PastBudgets(count: count, program: program, folder: folder)
    try show(budgets.budgets)
    try show(budgets.figures)
  }
  if wanted.contains("big") {
    let count = numbers.first ?? 1_000_000
    print("Big things, \(count) times something; what the program takes of memory.")
    row("", "", "ours", "", "budget", "")
    let program = try ProgramBudgets(count: 1_000, folder: folder)
    try show(BigThings(program: program, folder: folder, count: count).figures)
  }
  if wanted.contains("proofs") {
    let count = numbers.first ?? 5_000_000
    print("Proofs from logs of \(count) transactions, medians of \(runs) runs.")
    row("", "", "ours", "", "budget", "")
    try show(ProofBudgets(count: count, travelog: builtTravelog, folder: folder).figures)
  }
} catch {
  try FileManager.default.removeItem(at: folder)
  throw error
}
try FileManager.default.removeItem(at: folder)
