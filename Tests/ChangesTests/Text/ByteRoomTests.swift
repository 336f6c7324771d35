import Testing

@testable import Changes

@Suite("Memory for the bytes of many changes")
struct ByteRoomTests {
  private let piece = 262_144

  @Test("Bytes keep their addresses and contents, across pieces and for long texts.")
  func copies() throws {
    let room = ByteRoom()
    let counts = [0, 1, 100, piece - 101, 1, piece, piece + 1, 5, piece - 5, 7]
    var copies: [UnsafeRawBufferPointer] = []
    for (index, count) in counts.enumerated() {
      let bytes = [UInt8](repeating: UInt8(index), count: count)
      copies.append(try bytes.withUnsafeBytes { try room.copy($0) })
    }
    for (index, copy) in copies.enumerated() {
      #expect(copy.count == counts[index])
      #expect(copy.allSatisfy { $0 == UInt8(index) })
    }
    #expect(room.count == counts.reduce(0, +))
    room.removeAll()
    #expect(room.count == 0)
  }

  @Test("Texts that fit into a piece are next to each other, and unused bytes are used again.")
  func places() throws {
    let room = ByteRoom()
    let first = try #require(try room.take(10).baseAddress)
    #expect(try room.take(0).count == 0)
    #expect(try room.take(piece - 10).baseAddress == first + 10)
    #expect(room.count == piece)
    room.giveBack(4)
    #expect(room.count == piece - 4)
    #expect(try room.take(4).baseAddress == first + piece - 4)
    let next = try #require(try room.take(1).baseAddress)
    #expect(next < first || next >= first + piece)
    #expect(room.count == piece + 1)
    room.removeAll()
    #expect(try room.take(piece).baseAddress == first)
    #expect(try room.take(3).baseAddress == next)
    #expect(room.count == piece + 3)
  }

  @Test("A copy of no bytes needs no memory, and has the address that was given.")
  func empty() throws {
    let room = ByteRoom()
    let copy = try room.copy(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(copy.baseAddress == nil && copy.isEmpty && room.count == 0)
  }
}
