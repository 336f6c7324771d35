import Foundation
import ProcessTesting
import Testing

@testable import Store

@Suite("The suspension of an adopted file's triggers")
struct SuspensionTests {
  private func suspension(by process: Int32) throws -> Suspension {
    try JSONDecoder().decode(
      Suspension.self,
      from: Data(#"{"process":\#(process),"tables":{}}"#.utf8)
    )
  }

  @Test("A suspension is over if the process that made it has ended, or is this process.")
  func isRunning() throws {
    #expect(!Suspension(tables: [:]).isRunning)
    // The first process of the machine never ends.
    #expect(try suspension(by: 1).isRunning)
    let process = ChildProcess()
    process.executableURL = URL(fileURLWithPath: "/bin/true")
    try process.run()
    process.waitUntilExit()
    #expect(try !suspension(by: process.processIdentifier).isRunning)
  }
}
