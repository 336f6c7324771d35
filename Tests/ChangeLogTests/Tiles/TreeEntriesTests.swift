import Format
import Foundation
import TestSupport
import Testing

@testable import ChangeLog

@Suite("The entries of a tree in files")
struct TreeEntriesTests {
  private func entry(_ index: Int) -> [UInt8] { Array("entry \(index)".utf8) }

  private func names(_ path: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).sorted().filter {
      !$0.hasSuffix(".p") && !["tile", "tile/entries"].contains($0)
    }
  }

  @Test("A tree without files has no entries, and an entry is lost until it is written.")
  func empty() throws {
    try withTemporaryFolder { folder in
      var entries = try TreeEntries(folder.path)
      #expect(entries.all.isEmpty && entries.path == folder.path)
      try entries.write()
      #expect(try names(folder.path) == [])
      entries.append(entry(0))
      #expect(try TreeEntries(folder.path).all.isEmpty)
      try entries.write()
      #expect(try TreeEntries(folder.path).all == [entry(0)])
    }
  }

  @Test("An entry is written after its length in two bytes.")
  func form() throws {
    try withTemporaryFolder { folder in
      var entries = try TreeEntries(folder.path)
      let long = [UInt8](repeating: 7, count: 258)
      for entry in [[], [1], long] { entries.append(entry) }
      try entries.write()
      let file = URL(fileURLWithPath: folder.path + "/tile/entries/000.p/3")
      #expect(try Array(Data(contentsOf: file)) == [0, 0, 0, 1, 1, 1, 2] + long)
      #expect(try TreeEntries(folder.path).all == [[], [1], long])
    }
  }

  @Test("Entries that are written in random steps are read in order, and use the fewest files.")
  func steps() throws {
    try withTemporaryFolder { folder in
      var random = SeededGenerator(for: "steps of entries")
      for round in 0..<trials(5, long: 100) {
        let path = folder.path + "/\(round)"
        var (count, entries) = (0, try TreeEntries(path))
        while count < 600 {
          let next = min(600, count + Int.random(in: 0...300, using: &random))
          for index in count..<next { entries.append(entry(index)) }
          try entries.write()
          count = next
          if Bool.random(using: &random) { entries = try TreeEntries(path) }
          #expect(entries.all == (0..<count).map(entry))
        }
        #expect(try TreeEntries(path).all == (0..<600).map(entry))
        #expect(
          try names(path) == ["tile/entries/000", "tile/entries/001", "tile/entries/002.p/88"]
        )
      }
    }
  }

  @Test("A file of entries that is cut off or too long is refused, and the error names the file.")
  func damage() throws {
    try withTemporaryFolder { folder in
      var entries = try TreeEntries(folder.path)
      for index in 0..<260 { entries.append(entry(index)) }
      try entries.write()
      for name in ["tile/entries/000", "tile/entries/000.p/4", "tile/entries/001.p/4"] {
        let file = URL(fileURLWithPath: "\(folder.path)/\(name)")
        guard let bytes = try? Data(contentsOf: file) else { continue }
        for damaged in [
          Data(), bytes.dropLast(), bytes.dropLast(Int(bytes[1]) + 2), bytes + [0], bytes + [0, 0],
          bytes + [0, 9, 1],
        ] {
          try damaged.write(to: file)
          let error = #expect(throws: LogError.self) { try TreeEntries(folder.path) }
          #expect(error?.code == .missingTile)
          #expect(error?.path == file.path)
        }
        try bytes.write(to: file)
        #expect(try TreeEntries(folder.path).all.count == 260)
      }
    }
  }
}
