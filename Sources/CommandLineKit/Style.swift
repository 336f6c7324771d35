/// When a program colors its output.
///
/// With `auto`, a program colors its output on a terminal, unless the environment forbids colors.
package enum ColorChoice: String, CaseIterable, Sendable { case auto, always, never }

/// Whether and how text is colored.
package struct Style: Hashable, Sendable {
  package let isColored: Bool

  package static let plain = Style(isColored: false)
  package static let colored = Style(isColored: true)

  private init(isColored: Bool) { self.isColored = isColored }

  /// The style of a stream: the choice decides first, then the environment, then the terminal.
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
  /// The text in red, for errors and deleted objects.
  package func red(_ text: String) -> String { escaped(text, code: 31) }
  /// The text in green, for success and inserted objects.
  package func green(_ text: String) -> String { escaped(text, code: 32) }
  /// The text in yellow, for warnings and updates.
  package func yellow(_ text: String) -> String { escaped(text, code: 33) }

  private func escaped(_ text: String, code: Int) -> String {
    isColored ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}
