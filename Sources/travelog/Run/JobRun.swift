import ChangeLog
import CommandLineKit
import FoundationEssentials
import Glibc

struct StepResult {
  var started: Date
  var seconds: Double
  var code: ExitCode
  var isAccepted: Bool
  /// The last answers of the step, at most one hundred.
  var answers: [JSONValue] = []
  var answersLeftOut = 0
  var messages: [String] = []
  var error: CommandError?
}

extension JobStep {
  /// Runs the step, and keeps its output.
  func run() -> StepResult {
    let started = Date()
    let clock = ContinuousClock.now
    var code = ExitCode.failure
    var error: CommandError?
    var answers = Spool()
    var messages = Spool()
    do {
      try answers.open()
      try messages.open()
      let call = Call(
        arguments: arguments,
        output: Output(descriptor: answers.descriptor, room: 1 << 16),
        messages: Output(descriptor: messages.descriptor)
      )
      guard let action = command.action else { throw TravelogError.noAction(command.name) }
      code = try action(call)
      try call.output.flush()
      try call.messages.flush()
    } catch let thrown {
      let described = shown(thrown)
      error = described
      code = described.code
    }
    var result = StepResult(started: started, seconds: 0, code: code, isAccepted: false)
    do {
      result.messages = String(decoding: try messages.bytes(), as: UTF8.self)
        .split(separator: "\n").map(String.init)
      try keep(answers.bytes(), in: &result)
    } catch let thrown {
      // The error of the first failed step is kept, because this error explains more than later
      // errors.
      error = error ?? describe(thrown)
      if result.code == .success { result.code = error?.code ?? .failure }
    }
    result.error = error
    result.seconds = (ContinuousClock.now - clock).seconds
    result.isAccepted = result.code == .success || accepted.contains(result.code)
    return result
  }

  private func keep(_ bytes: [UInt8], in result: inout StepResult) throws {
    if let output {
      // If the step failed, its answer is incomplete and is not written.
      if [.success, .found, .unproven].contains(result.code) {
        try writeDurably(bytes, to: output, isForAll: true)
      }
      return
    }
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    result.answersLeftOut = max(0, lines.count - 100)
    for line in lines.suffix(100) {
      do {
        result.answers.append(try JSONDecoder().decode(JSONValue.self, from: Data(line)))
      } catch {
        throw TravelogError.notJSON(command.name)
      }
    }
  }
}

/// A temporary file without a name, which contains the output of a step.
private struct Spool: ~Copyable {
  private var file: UnsafeMutablePointer<FILE>?

  var descriptor: Int32 { file.map { fileno($0) } ?? -1 }

  mutating func open() throws {
    file = tmpfile()
    guard file != nil else { throw TravelogError.noTemporaryFile(errno) }
  }

  func bytes() throws -> [UInt8] {
    guard file != nil else { return [] }
    let end = lseek(descriptor, 0, SEEK_END)
    var bytes = [UInt8](repeating: 0, count: Int(max(0, end)))
    var read = 0
    while read < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress.map { $0 + read }, $0.count - read, off_t(read))
      }
      guard count > 0 else { throw TravelogError.temporaryFileNotRead }
      read += count
    }
    return bytes
  }

  deinit { if let file { fclose(file) } }
}
