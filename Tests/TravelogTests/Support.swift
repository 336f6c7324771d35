import ChangeLog
import Foundation
import ProcessTesting
import Store

/// The output of a run of the program, and its exit code.
struct Run {
  var output: String { String(decoding: bytes, as: UTF8.self) }
  let code: Int32
  let bytes: Data
  let errors: String
}

/// Runs the program as its users do.
@discardableResult
func travelog(
  _ arguments: String...,
  environment: [String: String] = [:],
  input: Data? = nil
) throws -> Run {
  try travelog(arguments, environment: environment, input: input)
}

/// Runs the program as its users do.
@discardableResult
func travelog(
  _ arguments: [String],
  environment: [String: String] = [:],
  input: Data? = nil
) throws -> Run {
  try run(products + "/travelog", arguments, environment: environment, input: input)
}

/// The folder of the built programs.
let products = Bundle.main.bundleURL.path

/// The folder of the package.
let packageRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .deletingLastPathComponent().deletingLastPathComponent()

/// The path of a program of the system; nil if it is not installed.
func installed(_ name: String) -> String? {
  ["/usr/bin/", "/bin/", "/usr/local/bin/", "/usr/sbin/"].map { $0 + name }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
}

/// Runs any program, in a UTF-8 locale unless the environment names another.
@discardableResult
func run(
  _ program: String,
  _ arguments: [String],
  environment: [String: String] = [:],
  input: Data? = nil
) throws -> Run {
  let process = ChildProcess()
  process.executableURL = URL(fileURLWithPath: program)
  process.arguments = arguments
  process.environment = ["LC_ALL": "C.UTF-8"].merging(environment) { $1 }
  let output = Pipe()
  let errors = Pipe()
  process.standardOutput = output
  process.standardError = errors
  if let input {
    let pipe = Pipe()
    process.standardInput = pipe
    try process.run()
    DispatchQueue.global().async {
      pipe.fileHandleForWriting.write(input)
      pipe.fileHandleForWriting.closeFile()
    }
  } else {
    process.standardInput = FileHandle.nullDevice
    try process.run()
  }
  let text = output.fileHandleForReading.readDataToEndOfFile()
  let message = errors.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return Run(
    code: process.terminationReason == .exit
      ? process.terminationStatus : 128 + process.terminationStatus,
    bytes: text,
    errors: String(decoding: message, as: UTF8.self)
  )
}

/// The bytes that a run of the program writes to standard output.
func travelogData(_ arguments: String...) throws -> Data {
  try travelog(arguments).bytes
}

/// Exports each transaction of a store to a separate log.
func exportApart(_ store: Store, to logs: String) throws {
  let last = try store.read { try $0.historyRange().head.transaction }
  for id in 1...last {
    try travelog("export", store.location.path, "--to", logs, "--until", "\(id)")
  }
}
