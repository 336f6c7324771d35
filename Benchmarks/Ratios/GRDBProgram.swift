import Foundation

/// The program that does the tasks with GRDB, which `make bench` builds if it is given a checkout.
enum GRDBProgram {
  /// Nil if the variable `GRDB` is not set.
  static let path: String? = {
    let isGiven = ProcessInfo.processInfo.environment["GRDB"]?.isEmpty == false
    return isGiven ? ".build/grdb/release/Books" : nil
  }()

  /// Runs a task on a store, and returns the seconds of processor time and the result.
  static func run(_ task: String, on store: BookStore, _ count: Int) throws -> (Double, Int) {
    let (program, pipe) = (Process(), Pipe())
    program.executableURL = URL(fileURLWithPath: path ?? "")
    program.arguments = [store.path, task, String(count)]
    program.standardOutput = pipe
    try program.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    program.waitUntilExit()
    let words = output.split(whereSeparator: \.isWhitespace)
    guard words.count == 2, let seconds = Double(words[0]), let result = Int(words[1]) else {
      throw WrongResult(description: "The program with GRDB printed \(words).")
    }
    return (seconds, result)
  }
}
