import SwiftData

// A separate program that works with a store, for tests that need several processes.

@Model final class Entry {
  var author: String
  var number: Int
  @Relationship(deleteRule: .cascade, inverse: \EntryPart.entry) var parts: [EntryPart] = []

  init(author: String, number: Int) {
    self.author = author
    self.number = number
  }
}

@Model final class EntryPart {
  var text: String
  var entry: Entry?
  init(text: String) { self.text = text }
}

@main struct ProcessProbe {
  let container: ModelContainer
  let author: String

  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5 else {
      print("usage: ProcessProbe write STORE AUTHOR COUNT")
      print("       ProcessProbe follow STORE - COUNT")
      print("       ProcessProbe new STORE AUTHOR TOKEN")
      print("       ProcessProbe enumerate STORE - STEP")
      return
    }
    let container = try ModelContainer(
      for: Entry.self,
      configurations: ModelConfiguration(url: URL(fileURLWithPath: arguments[2]))
    )
    let probe = ProcessProbe(container: container, author: arguments[3])
    switch arguments[1] {
    case "write": try probe.write(Int(arguments[4]) ?? 0)
    case "follow": try await probe.follow(Int(arguments[4]) ?? 0)
    case "enumerate": try probe.enumerate(Int(arguments[4]) ?? 1)
    default: try probe.printNew(URL(fileURLWithPath: arguments[4]))
    }
  }

  /// Saves `count` entries, one in each save, each with three parts.
  private func write(_ count: Int) throws {
    let context = ModelContext(container)
    context.author = author
    for number in 0..<count {
      let entry = Entry(author: author, number: number)
      entry.parts = (0..<3).map { EntryPart(text: "\(number).\($0)") }
      context.insert(entry)
      try context.save()
      print(number)
    }
  }

  /// Enumerates all entries, and prints the peak memory in KiB after every `step` of them.
  private func enumerate(_ step: Int) throws {
    var count = 0
    var sum = 0
    try ModelContext(container).enumerate(FetchDescriptor<Entry>()) { entry in
      count += 1
      sum += entry.number
      guard count.isMultiple(of: step) else { return }
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
      print("\(count) \(sum) \(peak.filter(\.isNumber))")
    }
  }

  /// Prints transactions as they are committed, until it has printed `count`.
  private func follow(_ count: Int) async throws {
    var seen = 0
    for try await transaction in container.history(following: true, interval: .milliseconds(5)) {
      print(line(transaction))
      seen += 1
      if seen == count { return }
    }
  }

  /// Prints an author's transactions after the token in a file, and saves the new token there.
  private func printNew(_ file: URL) throws {
    let author = author
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let data = FileManager.default.contents(atPath: file.path) {
      let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
      descriptor.predicate = #Predicate { $0.token > token && $0.author == author }
    }
    let transactions = try ModelContext(container).fetchHistory(descriptor)
    for transaction in transactions { print(line(transaction)) }
    if let token = transactions.last?.token {
      try JSONEncoder().encode(token).write(to: file, options: .atomic)
    }
  }

  private func line(_ transaction: DefaultHistoryTransaction) -> String {
    let number = transaction.changes.compactMap { $0.valuesByName["number"] as? Int }.first ?? -1
    return "\(transaction.transactionIdentifier) \(transaction.author ?? "-") \(number)"
  }
}
