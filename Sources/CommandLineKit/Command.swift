/// A program or one of its subcommands, as data: parsing, help and reference pages follow from it.
///
/// ```swift
/// let name = Parameter.positional("NAME", .text, help: "Who to greet.")
/// let greet = Command("greet", summary: "Says hello.", parameters: [name]) { call in
///   try call.output.writeLine("Hello, \(call.arguments[name])!")
/// }
/// ```
package struct Command: Sendable {
  /// A use of a command, or a file or a variable of the environment that it reads.
  package struct Note: Hashable, Sendable {
    /// What to type, or what it is called.
    package var name: String
    package var meaning: String

    package init(_ name: String, meaning: String) {
      self.name = name
      self.meaning = meaning
    }
  }

  /// What a command does.
  package typealias Action = @Sendable (Call) throws -> ExitCode

  /// The word that it is called by.
  package var name: String
  /// What it does, in one line.
  package var summary: String
  /// What else is to be known about it.
  package var discussion: String
  /// Uses of it, the plainest first.
  package var examples: [Note]
  /// Its flags and positionals; the flags are those of its subcommands too.
  package var parameters: [Declaration]
  /// The commands below it.
  package var subcommands: [Command]
  /// The variables that it reads, besides those of its flags.
  package var environment: [Note]
  package var files: [Note]
  /// The ways in which it can end, besides success, failure and wrong usage.
  package var exitCodes: [ExitCode]
  /// What it does; nil if one of its subcommands has to be named.
  package var action: Action?

  /// Makes a command; one without an action only holds others.
  package init(
    _ name: String,
    summary: String,
    discussion: String = "",
    examples: KeyValuePairs<String, String> = [:],
    parameters: [any DeclaredParameter] = [],
    environment: KeyValuePairs<String, String> = [:],
    files: KeyValuePairs<String, String> = [:],
    exitCodes: [ExitCode] = [],
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
    self.subcommands = subcommands
    self.action = action
  }
}

extension Command {
  var flags: [Declaration] { parameters.filter { !$0.isPositional } }
  var positionals: [Declaration] { parameters.filter(\.isPositional) }
  /// All ways in which it can end, by number.
  var possibleExitCodes: [ExitCode] {
    let own = Set([.success, .failure, .usage] + exitCodes)
    return ExitCode.all.filter(own.contains)
  }
}

/// A command that was called: what it was given, and where its answers go.
package struct Call: Sendable {
  /// The values of its flags and positionals.
  package let arguments: Arguments
  /// Where data goes.
  package let output: Output
  /// Where messages go.
  package let messages: Output

  package init(arguments: Arguments, output: Output, messages: Output) {
    self.arguments = arguments
    self.output = output
    self.messages = messages
  }
}
