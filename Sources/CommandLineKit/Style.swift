/// When a program colours what it writes.
package enum ColorChoice: String, CaseIterable, Sendable {
  /// On a terminal, unless the environment says no.
  case auto
  case always
  case never
}

/// How words are set off: with colours, or not at all.
package struct Style: Hashable, Sendable {
  /// Whether escapes are written.
  package let isColored: Bool

  /// No escapes.
  package static let plain = Style(isColored: false)
  /// Escapes, as terminals know them.
  package static let colored = Style(isColored: true)

  private init(isColored: Bool) { self.isColored = isColored }

  /// The style for a stream: what was asked for, then what the environment says, then whether
  /// somebody looks at it.
  package init(_ choice: ColorChoice, isTerminal: Bool, environment: [String: String]) {
    func isSet(_ name: String) -> Bool { environment[name].map { !$0.isEmpty } ?? false }
    switch choice {
    case .always: isColored = true
    case .never: isColored = false
    case .auto:
      if isSet("NO_COLOR") {
        isColored = false
      } else if isSet("FORCE_COLOR")
        || isSet("CLICOLOR_FORCE") && environment["CLICOLOR_FORCE"] != "0"
      {
        isColored = true
      } else {
        isColored = isTerminal && environment["TERM"] != "dumb"
      }
    }
  }

  package func bold(_ text: String) -> String { escaped(text, code: 1) }
  package func faint(_ text: String) -> String { escaped(text, code: 2) }
  /// Red, for what is wrong or went.
  package func red(_ text: String) -> String { escaped(text, code: 31) }
  /// Green, for what is right or came.
  package func green(_ text: String) -> String { escaped(text, code: 32) }
  /// Yellow, for what deserves a look.
  package func yellow(_ text: String) -> String { escaped(text, code: 33) }

  private func escaped(_ text: String, code: Int) -> String {
    isColored ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}
