import TestSupport
import Testing

@testable import ChangeLog

@Suite("Compressing blocks on several threads")
struct MemberPipelineTests {
  @Test(
    "Compressed members are in the order of their blocks, for any number of threads.",
    arguments: 0...4
  )
  func order(_ threads: Int) throws {
    var random = SeededGenerator(for: "member pipeline \(threads)")
    let compressor = try GzipCompressor(level: 1, path: "test")
    for count in [0, 1, 2, 3, 7, 20] {
      let blocks = (0..<count).map { place in
        [UInt8](repeating: UInt8(place), count: Int.random(in: 0...20_000, using: &random))
      }
      var members: [[UInt8]] = []
      let pipeline = MemberPipeline(level: 1, threads: threads, path: "test") { members.append($0) }
      for (place, block) in blocks.enumerated() {
        try pipeline.append(block)
        // At most twice as many blocks as threads are in progress.
        #expect(place + 1 - members.count <= 2 * max(1, threads))
      }
      try pipeline.finish()
      let expected = try blocks.map { try compressor.member(of: $0) }
      #expect(members == expected)
    }
  }

  @Test(
    "An error of the destination is thrown by the next append, and later blocks are still written."
  )
  func destination() throws {
    struct Full: Error {}
    var isFull = true
    var members: [[UInt8]] = []
    let pipeline = MemberPipeline(level: 1, threads: 1, path: "test") {
      if isFull { throw Full() }
      members.append($0)
    }
    for byte: UInt8 in 0..<2 { try pipeline.append([byte]) }
    #expect(throws: Full.self) { try pipeline.append([2]) }
    isFull = false
    try pipeline.finish()
    #expect(try members == [GzipCompressor(level: 1, path: "test").member(of: [1])])
  }

  @Test("Threads that compress many small blocks at once do not disturb each other.")
  func manySmallBlocks() throws {
    let compressor = try GzipCompressor(level: 1, path: "test")
    let members = try (0..<256).map { try compressor.member(of: [UInt8($0)]) }
    var count = 0
    var wrong = 0
    let pipeline = MemberPipeline(level: 1, threads: 8, path: "test") { member in
      if member != members[count % 256] { wrong += 1 }
      count += 1
    }
    for place in 0..<30_000 { try pipeline.append([UInt8(place % 256)]) }
    try pipeline.finish()
    #expect(count == 30_000 && wrong == 0)
  }
}
