/// A program or one of its subcommands, as data for parsing, help and reference pages.
///
/// ```swift
/// let name = Parameter.positional("NAME", type: .text, help: "Who to greet.")
/// let greet = Command("greet", summary: "Says hello.", parameters: [name]) { call in
///   try call.output.writeLine("Hello, \(call.arguments[name])!")
/// }
/// ```
package struct Command: Sendable {
  /// An example, a file or an environment variable, with its meaning.
  struct Note: Hashable, Sendable {
    let name: String
    let meaning: String

    init(_ name: String, meaning: String) {
      self.name = name
      self.meaning = meaning
    }
  }

  package typealias Action = @Sendable (Call) throws -> ExitCode

  package let name: String
  /// One sentence that says what the command does.
  let summary: String
  let discussion: String
  let examples: [Note]
  /// The flags and positionals of the command; its subcommands have the same flags.
  package let parameters: [Declaration]
  /// The subcommands, in the groups in which help lists them.
  let groups: [(title: String, commands: [Command])]
  let environment: [Note]
  let files: [Note]
  let exitCodes: [ExitCode]
  /// The function that the command runs; nil if the command only has subcommands.
  package let action: Action?

  /// Creates a command.
  ///
  /// Every command has the codes of success, failure and wrong usage; `exitCodes` need not contain
  /// them. Subcommands that are in no group follow the groups.
  package init(
    _ name: String,
    summary: String,
    discussion: String = "",
    examples: KeyValuePairs<String, String> = [:],
    parameters: [any DeclaredParameter] = [],
    environment: KeyValuePairs<String, String> = [:],
    files: KeyValuePairs<String, String> = [:],
    exitCodes: [ExitCode] = [],
    groups: KeyValuePairs<String, [Command]> = [:],
    subcommands: [Command] = [],
    action: Action? = nil
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.examples = examples.map { Note($0, meaning: $1) }
    self.parameters = parameters.map(\.declaration)
    self.environment = environment.map { Note($0, meaning: $1) }
    self.files = files.map { Note($0, meaning: $1) }
    self.exitCodes = exitCodes
    let others = subcommands.isEmpty ? [] : [(title: "Commands", commands: subcommands)]
    self.groups = groups.map { (title: $0, commands: $1) } + others
    self.action = action
  }
}

extension Command {
  package var subcommands: [Command] { groups.flatMap(\.commands) }
  var flags: [Declaration] { parameters.filter { !$0.isPositional } }
  var positionals: [Declaration] { parameters.filter(\.isPositional) }
  /// All exit codes of the command, sorted by number.
  var possibleExitCodes: [ExitCode] {
    let own = Set([.success, .failure, .usage] + exitCodes)
    return ExitCode.all.filter(own.contains)
  }
}

package struct Call: Sendable {
  package let arguments: Arguments
  /// Standard output, for answers.
  package let output: Output
  /// Standard error, for messages.
  package let messages: Output
}
