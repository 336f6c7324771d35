import Glibc

/// A program: a command with its version and its errors.
package struct Program: Sendable {
  package let command: Command
  package let version: String
  /// The libraries that the program found, with their versions, which `--version` also shows.
  package let libraries: @Sendable () -> [String]
  /// Describes errors that are not a ``CommandError``; returns nil for an unknown error.
  package let describe: @Sendable (any Error) -> CommandError?
  package let color: Parameter<ColorChoice>?
  package let json: Parameter<Bool>?
  /// Called with the arguments before a command runs.
  private let prepare: @Sendable (Arguments) -> Void

  package init(
    _ command: Command,
    version: String,
    libraries: @escaping @Sendable () -> [String] = { [] },
    color: Parameter<ColorChoice>? = nil,
    json: Parameter<Bool>? = nil,
    prepare: @escaping @Sendable (Arguments) -> Void = { _ in },
    describe: @escaping @Sendable (any Error) -> CommandError? = { _ in nil }
  ) {
    self.command = command
    self.version = version
    self.libraries = libraries
    self.color = color
    self.json = json
    self.prepare = prepare
    self.describe = describe
  }

  /// Runs a command line, whose first word is the name of the program, and returns the exit code.
  package func run(_ arguments: [String], environment: [String: String]) -> Int32 {
    // A closed pipe becomes an error that can be caught, not a signal.
    signal(SIGPIPE, SIG_IGN)
    occupyStandardDescriptors()
    let request: Request
    do {
      request = try parse(Array(arguments.dropFirst()), for: command)
    } catch {
      return report(
        error,
        on: messages(.auto, environment: environment),
        asJSON: asksForJSON(arguments)
      )
    }
    switch request {
    case .run(let path, let arguments):
      return run(path, arguments: arguments, environment: environment)
    case .version:
      return answer(environment) { _ in
        ([version] + libraries()).map { $0 + "\n" }.joined()
      }
    case .complete(let words):
      return answer(environment) { _ in offer(for: words, of: command).text }
    case .help(let path, let isLong):
      // A program that is called without arguments fails, and shows its help as the error.
      let isAsked = arguments.count > 1
      let descriptor = isAsked ? STDOUT_FILENO : STDERR_FILENO
      let code = answer(environment, on: descriptor) { style in
        help(
          for: path,
          isLong: isLong,
          width: terminalWidth(descriptor, environment: environment),
          style: style
        )
      }
      return isAsked ? code : ExitCode.usage.number
    }
  }

  /// Opens each standard descriptor that the process was started without.
  ///
  /// Otherwise a file that the program writes would get this descriptor, and then the messages of
  /// the program. Each descriptor is opened for the other direction, so its use is still an error.
  private func occupyStandardDescriptors() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Whether the user of a wrong command line asked for JSON.
  private func asksForJSON(_ arguments: [String]) -> Bool {
    guard let json else { return false }
    return arguments.prefix { $0 != "--" }.contains(json.declaration.spelling)
  }

  private func run(
    _ path: [Command],
    arguments: Arguments,
    environment: [String: String]
  ) -> Int32 {
    let choice = color.map { arguments[$0] } ?? .auto
    let output = stream(STDOUT_FILENO, choice: choice, environment: environment, room: 1 << 16)
    let messages = messages(choice, environment: environment)
    let isJSON = json.map { arguments[$0] } ?? false
    Interruption.setReport { error in
      // A message that is not read must not block the end of the program.
      var ready = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
      if poll(&ready, 1, 0) == 1 { write(error, on: messages, asJSON: isJSON) }
    }
    do {
      guard let action = path.last?.action else { return ExitCode.usage.number }
      prepare(arguments)
      let code = try action(Call(arguments: arguments, output: output, messages: messages))
      try output.flush()
      try messages.flush()
      return code.number
    } catch is ClosedPipe {
      return ExitCode.success.number
    } catch {
      do {
        try output.flush()
      } catch is ClosedPipe {
        // Only standard output was closed. Standard error may have a reader, so the error is
        // reported.
      } catch {
        // The error of the command is reported, because it explains more than a failure to write
        // the rest of the output.
      }
      return report(error, on: messages, asJSON: isJSON)
    }
  }

  private func answer(
    _ environment: [String: String],
    on descriptor: Int32 = STDOUT_FILENO,
    text: (Style) -> String
  ) -> Int32 {
    let output = stream(descriptor, choice: .auto, environment: environment)
    do {
      try output.show(text(output.style))
      return ExitCode.success.number
    } catch is ClosedPipe {
      return ExitCode.success.number
    } catch {
      return report(error, on: messages(.auto, environment: environment), asJSON: false)
    }
  }

  private func report(_ error: any Error, on messages: Output, asJSON: Bool) -> Int32 {
    let described =
      (error as? CommandError) ?? describe(error)
      ?? CommandError(.failure, message: "\(error)")
    Interruption.setReport(nil)
    write(described, on: messages, asJSON: asJSON)
    return described.code.number
  }

  private func write(_ error: CommandError, on messages: Output, asJSON: Bool) {
    do {
      if asJSON {
        try messages.write(error.json)
      } else {
        try messages.showLine(messages.style.red("\(command.name):") + " \(error)")
      }
    } catch {
      // The message can't be written, but the exit code reports the failure.
    }
  }

  private func messages(_ choice: ColorChoice, environment: [String: String]) -> Output {
    stream(STDERR_FILENO, choice: choice, environment: environment)
  }

  private func stream(
    _ descriptor: Int32,
    choice: ColorChoice,
    environment: [String: String],
    room: Int = 0
  ) -> Output {
    Output(
      descriptor: descriptor,
      room: room,
      style: Style(choice, isTerminal: isatty(descriptor) == 1, environment: environment),
      isASCII: isASCII(environment)
    )
  }
}
