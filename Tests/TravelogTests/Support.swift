import Foundation

/// What a run of the program wrote, and how it ended.
struct Run {
  let code: Int32
  let output: String
  let errors: String
}

/// Runs the program as its users do.
@discardableResult
func travelog(
  _ arguments: String...,
  environment: [String: String] = [:],
  input: Data? = nil
) throws -> Run {
  let process = Process()
  process.executableURL = Bundle.main.bundleURL.appendingPathComponent("travelog")
  process.arguments = arguments
  process.environment = environment
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
    output: String(decoding: text, as: UTF8.self),
    errors: String(decoding: message, as: UTF8.self)
  )
}
