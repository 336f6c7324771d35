import Foundation
import ProcessTesting

/// Runs a program; returns its standard output and standard error, and its exit code.
func run(
  _ command: [String],
  in folder: URL = packageRoot,
  environment: [String: String] = ProcessInfo.processInfo.environment
) throws -> (text: String, code: Int32) {
  let process = ChildProcess()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = command
  process.environment = environment
  process.currentDirectoryURL = folder
  let messages = Pipe()
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = messages
  process.standardError = messages
  try process.run()
  let text = String(decoding: messages.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return (text, process.terminationStatus)
}

/// The folder of the toolchain's programs.
func toolchain() throws -> URL {
  let compiler = try run(["sh", "-c", "realpath \"$(command -v swiftc)\""]).text
  return URL(filePath: String(compiler.dropLast())).deletingLastPathComponent()
}
