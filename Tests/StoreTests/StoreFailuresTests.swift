import Glibc
import Testing

@testable import Changes
@testable import Store

@Suite("Messages of errors about stores")
struct StoreFailuresTests {
  private func message(_ reason: any StoreReason) -> String { reason.at("a.store").message }

  /// The message about an undo that the transactions prevent.
  private func conflict(_ range: ClosedRange<Int64>, _ later: [Int64]) -> String {
    message(HistoryFailure.undoConflict(range, [], later.map { ($0, []) }))
  }

  @Test("The transactions that prevent an undo are listed; of more than ten, the first ten.")
  func undoConflicts() {
    let why = " can't be undone in the store a.store because later changes depend on"
    let one = "Transaction 3\(why) it"
    #expect(conflict(3...3, []) == one + ":")
    #expect(conflict(3...3, [5]) == one + " (transaction 5):")
    #expect(conflict(3...3, [5, 7]) == one + " (transactions 5 and 7):")
    #expect(conflict(3...3, [5, 7, 9]) == one + " (transactions 5, 7 and 9):")
    let nine = "11, 12, 13, 14, 15, 16, 17, 18, 19"
    let several = "Transactions 3 to 4\(why) them (transactions \(nine)"
    #expect(conflict(3...4, Array(11...20)) == several + " and 20):")
    #expect(conflict(3...4, Array(11...21)) == several + ", 20 and 1 more):")
  }

  @Test("A range of one transaction and one of several have their own verbs.")
  func ranges() {
    #expect(
      message(HistoryFailure.noTransactions(9...9, head: 4))
        == "There is no transaction 9 in the store a.store, whose last transaction is 4."
    )
    #expect(
      message(HistoryFailure.noTransactions(8...9, head: 4))
        == "There are no transactions 8 to 9 in the store a.store, whose last transaction is 4."
    )
    let start = "Transaction 3 of the store a.store can't be reverted: "
    #expect(
      message(HistoryFailure.migrated(3, by: 3)) == start + "it changed the schema."
    )
    #expect(
      message(HistoryFailure.migrated(3, by: 5)) == start + "transaction 5 changed the schema."
    )
  }

  @Test("The time that a program waited is shown in milliseconds or in whole seconds.")
  func waits() {
    let start = "Another program is writing to a.store and did not finish "
    let texts: [(Duration?, String)] = [
      (nil, "in time"), (.zero, "within 0 ms"), (.milliseconds(999), "within 999 ms"),
      (.seconds(1), "within 1 s"), (.milliseconds(2500), "within 2 s"),
    ]
    for (time, text) in texts {
      #expect(message(FileFailure.locked(waited: time)) == start + text + ".")
    }
  }

  @Test("Values that occur more than once are counted, with the objects that have them.")
  func duplicates() {
    let objects = [ObjectName("Trip", id: 1), ObjectName("Trip", id: 2)]
    func text(_ values: [String], total: Int) -> String {
      message(
        MigrationFailure.duplicates(
          properties: ["name"],
          values: values,
          count: values.count,
          objects,
          in: total
        )
      )
    }
    let start = "name of Trip becomes unique, but "
    #expect(text(["a"], total: 2) == start + "1 value occurs more than once: a in Trip 1, 2.")
    #expect(text(["a"], total: 5).hasSuffix("in Trip 1, 2 and 3 more."))
    #expect(text(["a", "b"], total: 2).contains("but 2 values occur more than once: a, b in Trip"))
  }

  @Test("The error about a value that must be unique names the other object and the properties.")
  func duplicate() {
    let (one, two) = (ObjectName("Trip", id: 1), ObjectName("Trip", id: 2))
    let start = "Trip 1 can't be saved because "
    #expect(
      message(ObjectFailure.duplicate(one, properties: ["name", "start"], other: two))
        == start + "Trip 2 has the same name and start."
    )
    #expect(
      message(ObjectFailure.duplicate(one, properties: [], other: nil))
        == start + "another object has the same unique values."
    )
  }

  @Test("A file that can't be opened because of its permissions is read-only, not broken.")
  func codes() {
    for (number, code) in [
      (EACCES, .readOnly), (EROFS, .readOnly), (EIO, .inputOutput), (EMFILE, .inputOutput),
    ] as [(Int32, StoreError.Code)] {
      #expect(FileFailure.workingCopy(number).code == code)
    }
  }
}
