/// The words that a shell can offer for the last word of a command line.
struct Offer: Hashable {
  struct Candidate: Hashable {
    var word: String
    var meaning = ""
  }

  var candidates: [Candidate] = []
  /// Whether the shell offers files or folders in addition to the words.
  var paths = Completion.nothing

  /// The offer as text for the scripts of ``Shell``, one line for each word.
  var text: String {
    var lines = candidates.map { $0.meaning.isEmpty ? $0.word : "\($0.word)\t\($0.meaning)" }
    if paths == .file { lines.append(":file") }
    if paths == .folder { lines.append(":folder") }
    return lines.map { $0 + "\n" }.joined()
  }
}

/// Finds the words that a shell can offer for the last word of a command line; the program's name is not included.
func offer(for words: [String], of program: Command) -> Offer {
  var line = LineSoFar(path: [program])
  for word in words.dropLast() {
    guard line.take(word) else { return Offer() }
  }
  let last = words.last ?? ""
  var offer = line.offer(last)
  offer.candidates.removeAll { !$0.word.hasPrefix(last) }
  return offer
}

/// The words before the word to complete.
private struct LineSoFar {
  var path: [Command]
  var given: Set<String> = []
  var places = 0
  var awaiting: Declaration?
  var areFlagsOver = false
  var asksForHelp = false

  private var command: Command { path[path.count - 1] }
  private var flags: [Declaration] { path.flatMap(\.flags) }

  /// Adds a word; returns false if nothing can be offered after it.
  mutating func take(_ word: String) -> Bool {
    if awaiting != nil {
      awaiting = nil
    } else if !areFlagsOver, word == "--" {
      areFlagsOver = true
    } else if !areFlagsOver, word.hasPrefix("--") {
      let name = word.dropFirst(2).prefix { $0 != "=" }
      note(flags.last { $0.name == name }, hasValue: word.contains("="))
    } else if !areFlagsOver, word.hasPrefix("-"), word != "-" {
      var letters = word.dropFirst()
      while let letter = letters.popFirst() {
        let flag = flags.last { $0.short == letter }
        note(flag, hasValue: !letters.isEmpty)
        if flag?.arity == .one { break }
      }
    } else if command.action == nil {
      if word == "help", path.count == 1, !asksForHelp {
        asksForHelp = true
        return true
      }
      guard let next = command.subcommands.first(where: { $0.name == word }) else { return false }
      path.append(next)
    } else {
      places += 1
    }
    return true
  }

  private mutating func note(_ flag: Declaration?, hasValue: Bool) {
    guard let flag else { return }
    given.insert(flag.name)
    if flag.arity == .one, !hasValue { awaiting = flag }
  }

  func offer(_ word: String) -> Offer {
    if let awaiting { return values(of: awaiting) }
    if !areFlagsOver, word.hasPrefix("--"), let sign = word.firstIndex(of: "=") {
      let prefix = word[...sign]
      let name = prefix.dropFirst(2).dropLast()
      guard let flag = flags.last(where: { $0.name == name }) else { return Offer() }
      var offer = values(of: flag)
      for index in offer.candidates.indices {
        offer.candidates[index].word = prefix + offer.candidates[index].word
      }
      return offer
    }
    if !areFlagsOver, word.hasPrefix("-"), word != "-" || command.positionals.isEmpty {
      return flagNames
    }
    guard command.action != nil else { return commandNames }
    if asksForHelp { return Offer() }
    let positionals = command.positionals
    if positionals.indices.contains(places) { return values(of: positionals[places]) }
    if let last = positionals.last, last.arity == .many { return values(of: last) }
    return areFlagsOver ? Offer() : flagNames
  }

  private var commandNames: Offer {
    var candidates = command.subcommands.map { Offer.Candidate(word: $0.name, meaning: $0.summary) }
    if path.count == 1, !asksForHelp {
      candidates.append(Offer.Candidate(word: "help", meaning: "Shows the help of a command."))
    }
    return Offer(candidates: candidates)
  }

  private var flagNames: Offer {
    var candidates = flags.filter { $0.isRepeatable || !given.contains($0.name) }
      .map { Offer.Candidate(word: $0.spelling, meaning: $0.help) }
    candidates.append(Offer.Candidate(word: "--help", meaning: "Show help."))
    if path.count == 1 {
      candidates.append(Offer.Candidate(word: "--version", meaning: "Show the version."))
    }
    return Offer(candidates: candidates)
  }

  private func values(of parameter: Declaration) -> Offer {
    guard case .words(let words) = parameter.completion else {
      return Offer(paths: parameter.completion)
    }
    return Offer(candidates: words.map { Offer.Candidate(word: $0) })
  }
}
