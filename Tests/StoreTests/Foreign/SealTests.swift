import Adoption
import Format
import SQLite
import Testing

@testable import Store

@Suite("Sealing the captured changes of an adopted file")
struct SealTests {
  @Test("While another process is sealing, a command waits, and fails only after its timeout.")
  func waiting() throws {
    let program = try AdoptedProgram()
    try program.run("INSERT INTO loose VALUES (1, 1)")
    let connection = try Connection(path: program.path, mode: .readWrite)
    try connection.useTables(prefix: CaptureNames.usualPrefix)
    // Process 1 runs on each machine.
    let mark = #"{"process":1,"token":7,"time":\#(currentMilliseconds())}"#
    try Catalog.set("sealing", value: .text(mark), on: connection)
    let begin = ContinuousClock.now
    #expect {
      try AdoptedFile.seal(on: connection, blobFolder: nil, timeout: .milliseconds(200))
    } throws: { error in
      (error as? StoreError)?.code == .locked
    }
    #expect {
      try Capture.begin(waiting: .milliseconds(200), on: connection)
    } throws: { error in
      (error as? StoreError)?.code == .locked
    }
    #expect(ContinuousClock.now - begin >= .milliseconds(400))
    #expect(!connection.isInTransaction)
    try SealingMark.remove(on: connection)
    #expect(try program.history().count == 1)
  }
}
