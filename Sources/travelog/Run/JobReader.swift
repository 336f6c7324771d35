import ChangeLog
import CommandLineKit
import FoundationEssentials
import Glibc
import JSON5

/// The commands that a job may run; a person must decide about running the other commands.
let jobCommands = [
  "export", "import", "verify", "check", "diff", "report", "compact", "prune", "status",
]

/// Reads a job file, fills in its values, and checks it against the parameters of the commands.
struct JobReader {
  let path: String
  /// The values that the command line gives.
  let settings: [String: [String]]
  let started: String
  private var values: [String: [String]] = [:]

  init(path: String, settings: [String: [String]], started: String) {
    self.path = path
    self.settings = settings
    self.started = started
  }

  static func name(of path: String) -> String {
    if path == "-" { return "stdin" }
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.split(separator: ".").first.map(String.init) ?? file
  }

  mutating func read() throws -> Job {
    let root: JSON5Value
    do {
      root = try readJSON5(String(decoding: try bytes(), as: UTF8.self))
    } catch let error as JSON5Error {
      throw refusal(error.position, reason: .notJSON(error.message))
    }
    let members = try members(
      of: root,
      known: ["about", "values", "steps", "report", "metrics"],
      in: "a job"
    )
    try takeValues(members["values"])
    guard let list = members["steps"] else { throw refusal(root.position, reason: .noSteps) }
    guard case .array(let steps) = list.content, !steps.isEmpty else {
      throw refusal(list.position, reason: .notSteps)
    }
    return Job(
      name: Self.name(of: path),
      about: try members["about"].flatMap(text),
      values: values,
      steps: try steps.map(step),
      report: try members["report"].flatMap(text),
      metrics: try members["metrics"].flatMap(text)
    )
  }

  private func bytes() throws -> Data {
    if path == "-" { return try standardInput() }
    do {
      if let bytes = try readSmallFile(path, isNamed: true) { return Data(bytes) }
    } catch let error as LogError {
      throw TravelogError.notAJob(shown(error).message)
    }
    throw TravelogError.noJob(path)
  }

  private func standardInput() throws -> Data {
    var bytes = Data()
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(STDIN_FILENO, &chunk, chunk.count)
      if count > 0 {
        bytes += chunk[..<count]
      } else if count == 0 {
        return bytes
      } else if errno != EINTR {
        throw TravelogError.notRead(errno)
      }
    }
  }

  private func refusal(_ position: Position, reason: JobError.Reason) -> JobError {
    JobError(path: path, position: position, reason: reason)
  }

  /// The keys of an object with their values; an unknown key is an error.
  private func members(
    of value: JSON5Value,
    known: [String],
    in what: String
  ) throws -> [String: JSON5Value] {
    guard case .object(let members) = value.content else {
      throw refusal(value.position, reason: .notAnObject(what))
    }
    var result: [String: JSON5Value] = [:]
    for member in members {
      guard known.contains(member.key) else {
        throw refusal(member.position, reason: .unknownMember(member.key, of: what, known: known))
      }
      result[member.key] = member.value
    }
    return result
  }
}

// MARK: Values

extension JobReader {
  private mutating func takeValues(_ declared: JSON5Value?) throws {
    var names: [String] = []
    if let declared {
      guard case .object(let members) = declared.content else {
        throw refusal(declared.position, reason: .notValues)
      }
      for member in members {
        names.append(member.key)
        if let set = settings[member.key] {
          values[member.key] = set
        } else if member.value.content == .null {
          throw TravelogError.unsetValue(job: "\(path):\(member.position)", name: member.key)
        } else {
          values[member.key] = try texts(of: member.value)
        }
      }
    }
    for name in settings.keys.sorted() where !names.contains(name) {
      throw TravelogError.unknownValue(job: path, name: name, known: names)
    }
    values["job"] = [Self.name(of: path)]
    values["started"] = [started]
  }

  /// The texts of a single value or a list, after `${name}` was replaced by values.
  private func texts(of value: JSON5Value) throws -> [String] {
    switch value.content {
    case .string(let text): try filled(text, at: value.position)
    case .number(let number): [number]
    case .array(let list): try list.flatMap(texts)
    case .bool, .null, .object:
      throw refusal(value.position, reason: .notTexts)
    }
  }

  /// The only text of a value; nil if the value is an empty list.
  private func text(_ value: JSON5Value) throws -> String? {
    let texts = try texts(of: value)
    guard texts.count <= 1 else { throw refusal(value.position, reason: .notOneText) }
    return texts.first
  }

  /// Replaces each `${name}` in a text by its value; a text that is only `${name}` can become
  /// several texts.
  private func filled(_ text: String, at position: Position) throws -> [String] {
    var result = ""
    var rest = text[...]
    while let sign = rest.firstRange(of: "${") {
      result += rest[..<sign.lowerBound]
      guard let end = rest[sign.upperBound...].firstIndex(of: "}") else {
        throw refusal(position, reason: .noBrace)
      }
      let name = String(rest[sign.upperBound..<end])
      guard let value = values[name] else {
        throw refusal(position, reason: .unknownValue(name, known: values.keys.sorted()))
      }
      rest = rest[rest.index(after: end)...]
      if result.isEmpty, rest.isEmpty { return value }
      guard value.count == 1 else {
        throw refusal(position, reason: .severalValues(name, count: value.count))
      }
      result += value[0]
    }
    return [result + rest]
  }
}

// MARK: Steps

extension JobReader {
  private func step(_ value: JSON5Value) throws -> JobStep {
    let members = try members(
      of: value,
      known: ["do", "with", "accept", "on_failure", "output"],
      in: "a step"
    )
    guard let verb = members["do"], let name = try text(verb) else {
      throw refusal(value.position, reason: .noCommand)
    }
    guard jobCommands.contains(name),
      let command = Travelog.program.command.subcommands.first(where: { $0.name == name })
    else {
      throw refusal(verb.position, reason: .unknownCommand(name))
    }
    let texts = try parameters(of: command, value: members["with"])
    let arguments: Arguments
    do {
      // Each step answers in JSON, because the report includes the answers.
      let own = ["json": [""], "progress": ["never"]]
      arguments = try Arguments(
        texts.merging(own) { $1 },
        for: [Travelog.program.command, command]
      )
    } catch let error as any ShownError {
      throw refusal(value.position, reason: .usage(error.shown))
    }
    return JobStep(
      command: command,
      texts: texts,
      arguments: arguments,
      accepted: Set(
        try (members["accept"].map(texts(of:)) ?? []).map { word in
          try exitCode(word, at: members["accept"]?.position ?? value.position)
        }
      ),
      failure: try failure(members["on_failure"]),
      output: try members["output"].flatMap(text)
    )
  }

  private func exitCode(_ word: String, at position: Position) throws -> ExitCode {
    if let code = ExitCode.all.first(where: { $0.name == word }) { return code }
    throw refusal(position, reason: .unknownExitCode(word))
  }

  private func failure(_ value: JSON5Value?) throws -> JobStep.Failure {
    guard let value else { return .stop }
    let word = try text(value) ?? ""
    guard let failure = JobStep.Failure(rawValue: word) else {
      throw refusal(value.position, reason: .unknownReaction(word))
    }
    return failure
  }

  private func parameters(
    of command: Command,
    value: JSON5Value?
  ) throws -> [String: [String]] {
    guard let value else { return [:] }
    let parameters = command.parameters
    let given = try members(
      of: value,
      known: parameters.map(jobKey),
      in: "“\(command.name)”"
    )
    var result: [String: [String]] = [:]
    for parameter in parameters {
      guard let value = given[jobKey(of: parameter)],
        let texts = try texts(of: value, for: parameter)
      else { continue }
      do {
        try parameter.check(texts)
      } catch let error as any ShownError {
        throw refusal(value.position, reason: .usage(error.shown))
      }
      result[parameter.name] = texts
    }
    return result
  }

  /// The texts for a parameter; nil if the job gives no texts for it.
  private func texts(of value: JSON5Value, for parameter: Declaration) throws -> [String]? {
    if parameter.arity == .none {
      guard case .bool(let isSet) = value.content else {
        throw refusal(value.position, reason: .notABoolean(jobKey(of: parameter)))
      }
      return isSet ? [""] : nil
    }
    let texts = try texts(of: value)
    if texts.isEmpty { return nil }
    guard texts.count == 1 || parameter.arity == .many || parameter.isRepeatable else {
      throw refusal(value.position, reason: .takesOneValue(jobKey(of: parameter)))
    }
    if texts.contains("-"), parameter.completion == .file || parameter.completion == .folder {
      throw refusal(value.position, reason: .noStream)
    }
    return texts
  }
}

/// The name of a parameter in a job file: `lock_wait` for `--lock-wait`, and `store` for `STORE`.
func jobKey(of parameter: Declaration) -> String {
  parameter.name.lowercased().replacing("-", with: "_")
}
