import AppleFiles
import ChangeLog
import Format
import Foundation
import Pipeline
import SQLite
import Store
import TestSupport
import Testing

/// Exports of stores in Apple's layout, again and again, while a program changes them.
@Suite("Exports of stores of Core Data", .serialized)
struct AppleExportTests {
  @Test(
    "Logs have each transaction once, only values that were there, and give the rows of the file.",
    arguments: AppleFile.HistoryLayout.allCases
  )
  func programs(_ layout: AppleFile.HistoryLayout) throws {
    var random = SeededGenerator(for: "exports of Core Data, \(layout)")
    for _ in 0..<trials(3, long: 400) {
      try withTemporaryFolder { folder in
        let phone = try Phone(folder, .random(using: &random), layout)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          for _ in 0..<Int.random(in: 0...4, using: &random) {
            try phone.file.runRandomly(
              changes: Int.random(in: 0...8, using: &random),
              isRecorded: true,
              using: &random
            )
            try phone.noteState()
          }
          switch Int.random(in: 0..<6, using: &random) {
          case 0: try phone.file.checkpoint("PASSIVE")
          case 1: try phone.file.checkpoint()
          case 2: try phone.file.pinReader()
          case 3: phone.file.releaseReader()
          default: break
          }
          try phone.export()
          try phone.check()
        }
      }
    }
  }

  @Test("An app that migrates its store between two exports gets a migration in its logs.")
  func migrations() throws {
    var random = SeededGenerator(for: "migrations of Core Data")
    for _ in 0..<trials(4, long: 200) {
      try withTemporaryFolder { folder in
        let phone = try Phone(folder, .random(using: &random), .interned)
        for _ in 0..<2 {
          try phone.file.runRandomly(changes: 8, using: &random)
          try phone.export()
          try phone.file.migrate(to: phone.file.model.changed(using: &random))
          try phone.file.runRandomly(changes: 4, using: &random)
          try phone.export()
          try phone.checkRows()
        }
      }
    }
  }

  @Test("The logs of a store whose beginning was purged begin with what must have existed.")
  func purges() throws {
    var random = SeededGenerator(for: "purged stores of Core Data")
    for _ in 0..<trials(4, long: 300) {
      try withTemporaryFolder { folder in
        let phone = try Phone(folder, .random(using: &random), .interned)
        for _ in 0..<6 {
          try phone.file.runRandomly(changes: 5, isRecorded: true, using: &random)
          try phone.noteState()
        }
        let last = phone.file.transactions.last?.number ?? 0
        try phone.file.purge(before: Int64.random(in: 0...max(last, 1), using: &random))
        try phone.file.checkpoint()
        try phone.export()
        try phone.check()
      }
    }
  }

  // MARK: Again next week

  @Test("An older copy, another store and another history are refused, each with its own code.")
  func refusals() throws {
    try withTemporaryFolder { folder in
      let phone = try Phone(folder, .music, .interned)
      try phone.insertNote("one")
      try phone.export()
      let older = phone.copy
      try phone.insertNote("two")
      try phone.export()
      let code = { (url: URL) -> StoreError.Code? in
        do {
          try phone.export(url)
          return nil
        } catch let error as StoreError {
          return error.code
        }
      }
      #expect(try code(older) == .historyDiverged)
      let other = try Phone(folder.appending(path: "other"), .music, .interned, uuid: UUID())
      try other.insertNote("one")
      let there = try other.copyFile()
      #expect(throws: StoreError.self) {
        try Store.follow(phone.history, movedTo: there.path)
      }
      try phone.file.connection.execute("UPDATE ATRANSACTION SET ZTIMESTAMP = 1 WHERE Z_PK = 1")
      #expect(try code(phone.copyFile()) == .historyDiverged)
    }
  }

  @Test("Transactions that the app deleted before they were read are a gap, which recover records.")
  func gap() throws {
    try withTemporaryFolder { folder in
      let phone = try Phone(folder, .music, .interned)
      try phone.insertNote("one")
      try phone.export()
      for text in ["two", "three", "four"] { try phone.insertNote(text) }
      try phone.file.purge(before: 4)
      try phone.file.checkpoint()
      let copy = try phone.copyFile()
      do {
        try phone.export(copy)
        Issue.record("The gap was not noticed.")
      } catch let error as StoreError {
        #expect(error.code == .historyExpired)
      }
      let request = RecoverRequest(store: copy.path, logs: phone.logs)
      #expect(try recover(request).remedy == .none)
      try phone.importLogs()
      try phone.checkRows(copy)
    }
  }

  @Test("A program does not write to a history file, and a killed reading leaves nothing behind.")
  func historyFile() throws {
    try withTemporaryFolder { folder in
      let phone = try Phone(folder, .music, .interned)
      let place = phone.logs.storeFolder(phone.file.uuid)
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      _ = FileManager.default.createFile(atPath: phone.history, contents: nil)
      try phone.insertNote("one")
      try phone.export()
      let store = try Store.open(.file(URL(fileURLWithPath: phone.history)))
      #expect(throws: StoreError.self) { try store.write(Author()) { _ in } }
    }
  }

  @Test("A history file of an earlier version, without digests of pages, continues.")
  func earlierVersion() throws {
    try withTemporaryFolder { folder in
      let phone = try Phone(folder, .music, .interned)
      try phone.insertNote("one")
      try phone.export()
      do {
        let connection = try Connection(path: phone.history, mode: .readWrite)
        try connection.execute("DROP TABLE history_apple_leaf")
      }
      try phone.insertNote("two")
      // A program changes a row without history.
      try phone.file.connection.execute("UPDATE ZNOTE SET ZPOSITION = 9 WHERE Z_PK = 1")
      try phone.export()
      try phone.checkRows()
    }
  }

  // MARK: What the lines say

  @Test("A value is unknown if a later change names its property, and otherwise that of the row.")
  func values() throws {
    try withTemporaryFolder { folder in
      let phone = try Phone(folder, .music, .interned)
      let note = phone.file.insert("Note", ["text": .text("first"), "position": .integer(7)])
      try phone.file.save(author: "anna", context: "main")
      phone.file.set(note, "text", .text("second"))
      try phone.file.save(author: "ben")
      try phone.file.checkpoint()
      try phone.export()
      let first = try phone.lines()
      #expect(
        first == [
          #"1 anna insert Note 1 {} {"position":7,"text":?,"_Person_notes":null}"#,
          #"2 ben update Note 1 {"text":?} {"text":"second"}"#,
        ]
      )
      phone.file.set(note, "text", .text("third"))
      try phone.file.save(author: "carl")
      phone.file.delete(note)
      try phone.file.save(author: "dora")
      try phone.file.checkpoint()
      try phone.export()
      let later = try phone.lines().dropFirst(2)
      #expect(
        later == [
          #"3 carl update Note 1 {"text":"second"} {"text":?}"#,
          #"4 dora delete Note 1 {"position":7,"text":?,"_Person_notes":null} {}"#,
        ]
      )
    }
  }

  @Test("What the write-ahead log still has is recorded: each value before and after a save.")
  func recorded() throws {
    try withTemporaryFolder { folder in
      let phone = try Phone(folder, .music, .interned)
      let note = phone.file.insert("Note", ["text": .text("first"), "position": .integer(7)])
      try phone.file.save(author: "anna")
      phone.file.set(note, "text", .text("second"))
      try phone.file.save(author: "ben")
      phone.file.delete(note)
      try phone.file.save(author: "carl")
      try phone.export()
      let lines = try phone.lines()
      #expect(
        lines == [
          #"1 anna insert Note 1 {} {"position":7,"text":"first","_Person_notes":null}"#,
          #"2 ben update Note 1 {"text":"first"} {"text":"second"}"#,
          #"3 carl delete Note 1 {"position":7,"text":"second","_Person_notes":null} {}"#,
        ]
      )
    }
  }

  @Test("A tombstone gives the values of a deletion.")
  func tombstones() throws {
    try withTemporaryFolder { folder in
      let phone = try Phone(folder, .music, .interned)
      let song = phone.file.insert("Song", ["isLoud": .integer(1), "name": .text("x")])
      try phone.file.save()
      phone.file.delete(song)
      try phone.file.save()
      try phone.file.checkpoint()
      try phone.export()
      let line = try #require(try phone.lines().last)
      #expect(line.contains(#""isLoud":true"#))
      #expect(line.contains(#""name":?"#))
    }
  }

  @Test("What a program wrote without history is a difference.")
  func unrecorded() throws {
    try withTemporaryFolder { folder in
      let phone = try Phone(folder, .music, .interned)
      try phone.insertNote("one")
      _ = phone.file.insert("Note", ["text": .text("two")])
      try phone.file.save(isRecorded: false)
      try phone.export()
      let history = try History(phone.replica)
      var operations: [TransactionOperation] = []
      try history.source.read(1...2, wants: { _ in false }, change: { _, _ in }) {
        operations.append($0.operation)
      }
      #expect(operations == [.recorded, .difference])
    }
  }

  @Test("The file and its folder keep every byte and every time.")
  func untouched() throws {
    try withTemporaryFolder { folder in
      let phone = try Phone(folder, .music, .interned)
      try phone.insertNote("one")
      let copy = try phone.copyFile()
      let before = try state(of: copy.deletingLastPathComponent())
      try phone.export(copy)
      _ = try History(copy.path).outline
      #expect(try state(of: copy.deletingLastPathComponent()) == before)
    }
  }

  private func state(of folder: URL) throws -> [String] {
    let manager = FileManager.default
    return try manager.contentsOfDirectory(atPath: folder.path).sorted().map { name in
      let path = folder.appending(path: name).path
      let attributes = try manager.attributesOfItem(atPath: path)
      let data = manager.contents(atPath: path) ?? Data()
      return "\(name) \(attributes[.modificationDate] ?? "") \(SHA256.digest(of: Array(data)))"
    }
  }
}
