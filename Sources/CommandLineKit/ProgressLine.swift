import Synchronization

/// When a program shows progress; `auto` means on a terminal.
package enum ProgressChoice: String, CaseIterable, Sendable { case auto, always, never }

/// A line that shows progress, at most ten times a second.
package final class ProgressLine: Sendable {
  private struct State {
    var next: ContinuousClock.Instant
    var isDrawn = false
  }

  private let output: Output?
  private let start = ContinuousClock.now
  private let state: Mutex<State>

  package init(_ output: Output, choice: ProgressChoice) {
    switch choice {
    case .auto: self.output = output.isTerminal ? output : nil
    case .always: self.output = output
    case .never: self.output = nil
    }
    // Short work shows no progress.
    state = Mutex(State(next: start + .milliseconds(300)))
  }

  /// Draws the line, unless it was drawn less than a tenth of a second ago.
  package func draw(_ done: Int64, of total: Int64?, unit: String) throws {
    guard let output else { return }
    let now = ContinuousClock.now
    try state.withLock { state in
      guard now >= state.next else { return }
      state.next = now + .milliseconds(100)
      state.isDrawn = true
      let text = Self.text(done, of: total, unit: unit, after: (now - start).seconds)
      try output.write(output.isTerminal ? "\r\(text)\u{1b}[K" : text + "\n")
      try output.flush()
    }
  }

  package func clear() throws {
    guard let output else { return }
    try state.withLock { state in
      guard state.isDrawn, output.isTerminal else { return }
      state.isDrawn = false
      try output.write("\r\u{1b}[K")
      try output.flush()
    }
  }

  /// The amount of finished work and the speed; if the total is known, also a bar and the remaining time.
  static func text(
    _ done: Int64,
    of total: Int64?,
    unit: String,
    after seconds: Double
  ) -> String {
    let rate = seconds > 0 ? Double(done) / seconds : 0
    let speed = "\(grouped(Int64(rate))) \(unit)/s"
    guard let total, total > 0 else { return "\(grouped(done)) \(unit), \(speed)" }
    let part = min(1, Double(done) / Double(total))
    let filled = Int(part * 20)
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 20 - filled)
    let left = rate > 0 ? Int64((Double(total - done) / rate).rounded(.up)) : 0
    return "[\(bar)] \(Int(part * 100)) %  \(grouped(done)) of \(grouped(total)) \(unit), \(speed),"
      + " \(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left"
  }
}

/// A number with its digits in groups of three.
package func grouped(_ number: Int64) -> String {
  var digits = String(number.magnitude)
  var groups: [String] = []
  while digits.count > 3 {
    groups.insert(String(digits.suffix(3)), at: 0)
    digits.removeLast(3)
  }
  return (number < 0 ? "-" : "") + ([digits] + groups).joined(separator: " ")
}

/// A number with its noun, as people read it: `1 log`, `1 200 logs`.
package func counted(_ number: Int64, noun: String) -> String {
  "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
}

/// A size in bytes, as people read it: `812 B`, `1.2 MB`.
package func byteCount(_ bytes: Int64) -> String {
  guard bytes >= 1000 else { return "\(bytes) B" }
  var value = Double(bytes)
  var unit = 0
  let units = ["B", "kB", "MB", "GB", "TB", "PB"]
  while value >= 999.5, unit < units.count - 1 {
    value /= 1000
    unit += 1
  }
  if value >= 99.5 { return "\(Int(value.rounded())) \(units[unit])" }
  let tenths = Int((value * 10).rounded())
  return "\(tenths / 10).\(tenths % 10) \(units[unit])"
}
