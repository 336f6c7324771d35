import AppleFiles
import ChangeLog
import Format
import Foundation
import Pipeline
import SQLite
import Store
import Testing

/// A file that a program changes, copies of which are exported to the same logs.
final class Phone {
  let file: AppleFile
  let logs: LogFolder
  let folder: URL
  /// A replica of the logs.
  let replica: String
  /// The last copy.
  private(set) var copy: URL
  private var copies = 0
  /// The history files that show the rows after a transaction of the file.
  private var states: [Int64: String] = [:]

  init(
    _ folder: URL,
    _ model: FileModel,
    _ layout: AppleFile.HistoryLayout,
    uuid: UUID = UUID()
  ) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let url = folder.appending(path: "Music.sqlite")
    file = try AppleFile(url, model, history: layout, uuid: uuid.uuidString)
    logs = LogFolder(folder.appending(path: "logs").path)
    try logs.create()
    replica = folder.appending(path: "replica.store").path
    copy = url
  }

  /// The history file beside the logs.
  var history: String { logs.storeFolder(file.uuid) + "/_apple.history" }

  func insertNote(_ text: String) throws {
    _ = file.insert("Note", ["text": .text(text)])
    try file.save()
  }

  /// Copies the file to a folder of its own.
  func copyFile() throws -> URL {
    copies += 1
    let place = folder.appending(path: "copy\(copies)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    copy = place.appending(path: "Music.sqlite")
    try file.copy(to: copy)
    return copy
  }

  func export() throws {
    if try export(copyFile()).to.transaction > 0 { try importLogs() }
  }

  @discardableResult
  func export(_ url: URL) throws -> ExportResult {
    try Pipeline.export(ExportRequest(store: url.path, logs: logs))
  }

  func importLogs() throws {
    _ = try Pipeline.importLogs(ImportRequest(logs: logs, store: replica))
  }

  /// Remembers the rows after the last transaction.
  func noteState() throws {
    guard let last = file.transactions.last?.number else { return }
    let path = folder.appending(path: "state\(copies)-\(last)").path
    _ = try Store.follow(copyFile().path, history: path)
    states[last] = path
  }

  // MARK: Checks

  func check() throws {
    try checkRows()
    try checkTransactions()
  }

  /// The rows of the replica are those of the file.
  func checkRows(_ url: URL? = nil) throws {
    guard FileManager.default.fileExists(atPath: replica) else {
      #expect(file.rows.isEmpty && file.transactions.isEmpty)
      return
    }
    let fresh = folder.appending(path: "fresh\(copies)").path
    _ = try Store.follow((url ?? copyFile()).path, history: fresh)
    let (one, other) = try (readableStore(replica), readableStore(fresh))
    #expect(other.schema.differences(fromStored: one.schema).isEmpty)
    var found: [String] = []
    try one.read { mine in
      try other.read { theirs in
        try mine.differences(to: theirs) {
          found.append("\(String(decoding: $0.entity, as: UTF8.self)) \($0.id)")
        }
      }
    }
    #expect(found == [])
    for result in try verify(VerifyRequest(logs: logs)) { #expect(result.findings.isEmpty) }
  }

  /// The history of the replica has each transaction of the file once, with its changes, and known
  /// values are those of the rows at that time.
  private func checkTransactions() throws {
    var rest = file.transactions[...]
    guard FileManager.default.fileExists(atPath: replica) else { return }
    let history = try History(replica)
    guard let range = history.range else {
      #expect(rest.isEmpty)
      return
    }
    var lines: [(kind: ChangeKind, entity: String, id: Int64, after: [[UInt8]: EncodedValue])] = []
    try history.source.read(range, wants: { _ in true }) { change, _ in
      lines.append(
        (
          change.kind, String(decoding: change.entity, as: UTF8.self), change.object,
          change.valuesByKey(.after)
        )
      )
    } transaction: { transaction in
      defer { lines.removeAll() }
      guard transaction.operation == .recorded else { return }
      guard let wanted = rest.popFirst() else {
        Issue.record("Transaction \(transaction.id) is not one of the file.")
        return
      }
      #expect(transaction.author == wanted.author)
      #expect(transaction.process == AppleFile.process)
      #expect(transaction.details?.contains("\"transaction\":\(wanted.number)") == true)
      #expect(
        transaction.time == timeText(Date(timeIntervalSinceReferenceDate: wanted.time))
      )
      let changes = wanted.changes
      let kinds: [ChangeKind] = [.insert, .update, .delete]
      #expect(lines.map(\.kind) == changes.map { kinds[Int($0.kind)] })
      #expect(lines.map(\.entity) == changes.map(\.entity))
      #expect(lines.map(\.id) == changes.map(\.id))
      guard let state = states[wanted.number] else { return }
      let truth = try readableStore(state)
      for line in lines where !line.after.isEmpty {
        let values = try truth.read { try $0.values(of: line.entity, line.id) }
        // No bit of a history names hidden columns.
        for (key, value) in line.after
        where !value.isUnknown && !value.isLinks && key[1] != UInt8(ascii: "_") {
          let name = String(decoding: key, as: UTF8.self)
          #expect(values[key] == value, "\(line.entity) \(line.id) \(name) in \(wanted.number)")
        }
      }
    }
    #expect(rest.isEmpty)
  }

  /// The changes of the replica's history in short form, with a question mark for an unknown value.
  func lines() throws -> [String] {
    let history = try History(replica)
    var result: [String] = []
    guard let range = history.range else { return [] }
    try history.source.read(range, wants: { _ in true }) { change, transaction in
      func text(_ side: Change.Side) -> String {
        let members = change.values(side).map { key, value in
          String(decoding: key, as: UTF8.self)
            + (value.isUnknown ? "?" : String(decoding: value.json, as: UTF8.self))
        }
        return "{\(members.joined(separator: ","))}"
      }
      result.append(
        "\(transaction.id) \(transaction.author ?? "-") \(change.kind)"
          + " \(String(decoding: change.entity, as: UTF8.self)) \(change.object)"
          + " \(text(.before)) \(text(.after))"
      )
    } transaction: { _ in
    }
    return result
  }
}

extension Reader {
  /// The values of an object, by their keys.
  fileprivate func values(of entity: String, _ id: Int64) throws -> [[UInt8]: EncodedValue] {
    var result: [[UInt8]: EncodedValue] = [:]
    try snapshot { change in
      guard change.object == id, String(decoding: change.entity, as: UTF8.self) == entity else {
        return
      }
      result = change.valuesByKey(.after)
    }
    return result
  }
}
