/// Remembers which sentences were said.
final class SaidOnce: Sendable {
  private let sentences = Guarded<Set<String>>([])

  func isNew(_ sentence: String) -> Bool {
    // A program that makes new sentences for ever is not given memory for ever.
    sentences.withLock { $0.count < 1000 && $0.insert(sentence).inserted }
  }
}

/// Says once what a fetch does more slowly than it could.
enum FetchLog {
  private static let said = SaidOnce()

  static func note(_ sentence: String) {
    guard said.isNew(sentence) else { return }
    FileHandle.standardError.write(Data("SwiftData: \(sentence)\n".utf8))
  }
}
