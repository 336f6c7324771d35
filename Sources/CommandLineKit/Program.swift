import Glibc

/// A command with all that it needs to be a program.
package struct Program: Sendable {
  package let command: Command
  package let version: String
  /// Makes an error with an exit code of one that the command's own code knows nothing of.
  package let describe: @Sendable (any Error) -> CommandError?
  /// The flag that says when to colour, where there is one.
  package let color: Parameter<ColorChoice>?
  /// The flag that asks for answers that programs can read, where there is one.
  package let json: Parameter<Bool>?

  package init(
    _ command: Command,
    version: String,
    color: Parameter<ColorChoice>? = nil,
    json: Parameter<Bool>? = nil,
    describe: @escaping @Sendable (any Error) -> CommandError? = { _ in nil }
  ) {
    self.command = command
    self.version = version
    self.color = color
    self.json = json
    self.describe = describe
  }

  /// Does what the command line asks for, and returns what the system is to be told.
  ///
  /// The first argument is the name that the program was called by.
  package func run(_ arguments: [String], environment: [String: String]) -> Int32 {
    // A reader that has seen enough closes the pipe; that shall be an error that can be caught.
    signal(SIGPIPE, SIG_IGN)
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
      return answer(environment) { _ in version + "\n" }
    case .complete(let words):
      return answer(environment) { _ in offer(for: words, of: command).text }
    case .help(let path, let isLong):
      // A command that was called without anything is told what it can be asked.
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

  /// Whether a command line that can't be understood asks for JSON.
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
      // A message that nobody reads must not keep the program from ending.
      var ready = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
      if poll(&ready, 1, 0) == 1 { write(error, on: messages, asJSON: isJSON) }
    }
    do {
      guard let action = path.last?.action else { return ExitCode.usage.number }
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
        // Nobody reads the answer, but somebody may read the error.
      } catch {
        // Of two errors, the one that came first says more.
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
      (error as? any ShownError)?.shown ?? describe(error)
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
      // There is nobody left to tell; the exit code says it.
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
