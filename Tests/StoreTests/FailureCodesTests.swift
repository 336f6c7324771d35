import Foundation
import Glibc
import SQLite
import TestSupport
import Testing

@testable import Changes
@testable import Store

@Suite("Codes and sentences of errors about stores")
struct FailureCodesTests {
  private let trip = ObjectName("Trip", id: 1)
  private let item = ObjectName("Item", id: 2)

  private func expect(
    _ reason: any StoreReason,
    _ code: StoreError.Code,
    _ message: String? = nil,
    _ hint: String? = nil
  ) {
    let error = reason.at("a.store")
    #expect(error.code == code, "\(reason)")
    if let message { #expect(error.message == message) }
    if let hint { #expect(error.hint == hint) }
  }

  private func schema(_ version: String) -> StoreSchema {
    StoreSchema(version: version, entities: [])
  }

  @Test("Each failure of a file has its code.")
  func files() {
    expect(FileFailure.missing, .missing, "There is no file a.store.")
    expect(FileFailure.notADatabase, .notADatabase)
    for reason in [FileFailure.folder, .empty, .appleStore, .foreignDatabase] {
      expect(reason, .notAStore)
    }
    expect(
      FileFailure.newerFormat(7, known: 1),
      .newerFormat,
      "The store a.store has format 7; this program reads formats up to 1."
    )
    for reason in [
      FileFailure.damaged, .cutOff(bytes: 5), .otherTables("t"), .damagedCatalog(.schema),
    ] {
      expect(reason, .damaged)
    }
    for reason in [FileFailure.locked(waited: nil), .unrecordedChange, .erasedButInLog] {
      expect(reason, .locked)
    }
    let protected: [FileFailure] = [
      .writeProtected, .openedForReading, .noCompanions, .noWriteAheadLog,
    ]
    for reason in protected { expect(reason, .readOnly) }
    expect(FileFailure.full, .diskFull)
    expect(FileFailure.inputOutput, .inputOutput)
    expect(FileFailure.outOfMemory, .outOfMemory)
    expect(FileFailure.refused("d"), .database)
    expect(FileFailure.nestedWrite, .misuse)
  }

  @Test("A working copy that can't be created is read-only only for reasons of permission.")
  func workingCopy() {
    let codes: [(Int32, StoreError.Code)] = [
      (EACCES, .readOnly), (EROFS, .readOnly), (ENOSPC, .inputOutput), (ENAMETOOLONG, .inputOutput),
    ]
    for (number, code) in codes { expect(FileFailure.workingCopy(number), code) }
    expect(
      FileFailure.workingCopy(EACCES),
      .readOnly,
      "Can't create a.store, the copy that a migration works on: Permission denied."
    )
  }

  @Test("A recorded text encoding that is not known is shown as UTF-8.")
  func encodings() {
    let start = "The texts of a.store are in UTF-16be, but its history was recorded in "
    expect(
      FileFailure.otherEncoding(nil, now: "UTF-16be"),
      .schemaMismatch,
      start + "UTF-8.",
      "To begin a new history: travelog adopt --detach --discard-history a.store && travelog adopt a.store"
    )
    expect(
      FileFailure.otherEncoding(.utf16LittleEndian, now: "UTF-16be"),
      .schemaMismatch,
      start + "UTF-16le."
    )
  }

  @Test("Each failure of a large value's file has its code.")
  func blobs() {
    expect(
      BlobFailure.missing(digest: "d"),
      .missingBlob,
      "The large value d of the store a.store is missing.",
      "Restore the folder a.store-blobs together with the store."
    )
    expect(
      BlobFailure.missingInReplay(digest: "d"),
      .missingBlob,
      "The large value d of a replayed transaction is missing.",
      "Copy the blob file from the log folder."
    )
    let codes: [(Int32, StoreError.Code)] = [
      (ENOSPC, .diskFull), (EDQUOT, .diskFull), (EROFS, .readOnly), (EACCES, .readOnly),
      (EIO, .inputOutput), (ENOENT, .inputOutput),
    ]
    for (number, code) in codes {
      expect(BlobFailure.unwritable(verb: "write", file: "f", number), code)
    }
    expect(
      BlobFailure.unwritable(verb: "write", file: "f", EIO),
      .inputOutput,
      "Can't write f for a large value: Input/output error. Nothing of this write was kept."
    )
  }

  @Test("Each failure of an object has its code, and names the objects that are concerned.")
  func objects() {
    let failures: [(ObjectFailure, StoreError.Code, [ObjectName])] = [
      (.missing(trip), .missingObject, []),
      (.notAColumn(property: "p"), .misuse, []),
      (.notManyToMany(property: "p"), .misuse, []),
      (.unreadable(trip, property: "p", found: "a", expected: "b"), .unreadableValue, []),
      (.missingValue(trip, properties: ["p"]), .missingValue, []),
      (.invalidValue(trip, "d"), .invalidValue, []),
      (.duplicateID(trip), .duplicate, [trip]),
      (.duplicate(trip, properties: ["p"], other: item), .duplicate, [item]),
      (.duplicate(trip, properties: ["p"], other: nil), .duplicate, []),
      (.danglingReference, .missingReference, []),
      (.danglingLink(table: "t", destination: "d"), .missingReference, []),
      (.dangling(trip, property: "p", destination: "d"), .missingReference, [trip]),
      (.deletion(trip, .denyRuleOfTargets, property: "p", [item]), .deletionDenied, [item]),
      (.deletion(trip, .denyRule, property: "p", [item]), .deletionDenied, [item]),
      (.deletion(trip, .requiredValue, property: "p", [item]), .missingValue, [item]),
      (.deletion(trip, .noActionRule, property: "p", [item]), .missingReference, [item]),
      (.noIDsLeft(table: "t", last: 9), .invalidValue, []),
    ]
    for (reason, code, objects) in failures {
      expect(reason, code)
      #expect(reason.at("a.store").objects == objects, "\(reason)")
    }
  }

  @Test("An error about a deletion gives the rule, the objects, and what to do.")
  func deletions() {
    func check(_ obstacle: ObjectFailure.Obstacle, _ words: String, _ hint: String) {
      expect(
        ObjectFailure.deletion(trip, obstacle, property: "items", [item, trip]),
        ObjectFailure.deletion(trip, obstacle, property: "items", []).code,
        "Trip 1 can't be deleted: \(words) Item 2, Trip 1.",
        "Delete these objects too, or \(hint)."
      )
    }
    let other = "set their items to another object"
    check(
      .denyRuleOfTargets,
      "its relationship items has the delete rule deny, and refers to",
      "remove them from items first"
    )
    check(
      .denyRule,
      "its delete rule is deny, and these objects refer to it in their items:",
      other
    )
    check(
      .requiredValue,
      "items must have a value, but would have none in these objects:",
      other
    )
    check(
      .noActionRule,
      "its delete rule is noAction, and these objects refer to it in their items:",
      other
    )
  }

  @Test("Each failure of a migration has its code, and names the objects that are concerned.")
  func migrations() {
    let (one, two) = (schema("1"), schema("2"))
    let objects = [trip, item]
    let failures: [(MigrationFailure, StoreError.Code, [ObjectName])] = [
      (.newerSchema(stored: two, wanted: one), .newerSchema, []),
      (.refused(["r"], from: one, to: two), .migrationRefused, []),
      (.needed(steps: ["s"], []), .schemaMismatch, []),
      (.migratedByOthers(stored: two, known: one), .schemaMismatch, []),
      (.unknownSchema(digest: "d"), .schemaMismatch, []),
      (.changedMeanwhile, .changedMeanwhile, []),
      (.outOfOrder, .misuse, []),
      (.otherStore, .misuse, []),
      (.missingValues(property: "p", isAttribute: true, objects, count: 2), .missingValue, objects),
      (.severalLinks(property: "p", objects, count: 2), .duplicate, objects),
      (.duplicates(properties: [], values: [], count: 1, objects, in: 2), .duplicate, objects),
      (.duplicatesIn(table: "t"), .duplicate, []),
      (.danglingRow(1, table: "t", parent: "p"), .missingReference, []),
    ]
    for (reason, code, objects) in failures {
      expect(reason, code)
      #expect(reason.at("a.store").objects == objects, "\(reason)")
    }
  }

  @Test("The steps of a needed migration are listed only if the schemas do not differ.")
  func neededSteps() {
    let start = "The store a.store does not fit the model; a migration is needed:"
    expect(MigrationFailure.needed(steps: ["a step"], []), .schemaMismatch, start + "\n- a step")
    let difference = SchemaDifference.extraAttribute(entity: "Trip", name: "color")
    let needed = MigrationFailure.needed(steps: ["a step"], [difference])
    expect(needed, .schemaMismatch, start + "\n- \(difference)")
    #expect(needed.at("a.store").differences == [difference])
    #expect(MigrationFailure.changedMeanwhile.at("a.store").differences == [])
    #expect(FileFailure.missing.at("a.store").differences == [])
  }

  @Test("The versions in the error about a newer schema are those of the store and of the model.")
  func newerSchema() {
    expect(
      MigrationFailure.newerSchema(stored: schema("2"), wanted: schema("1")),
      .newerSchema,
      "The store a.store has version 2 of the schema; the model is version 1, which is older.",
      "Use the program that has version 2 or a newer version."
    )
    expect(
      MigrationFailure.migratedByOthers(stored: schema("2"), known: schema("1")),
      .schemaMismatch,
      "Another process migrated the store a.store to version 2 of the schema; this process uses"
        + " version 1.",
      "Open the store again with the newer model."
    )
  }

  @Test("A missing value of an attribute and of a relationship have their own remedies.")
  func missingValues() {
    let fill = "Give the attribute a default value in the model, or fill these rows first."
    let relate = "Make the relationship optional, or set it in a custom stage first."
    for (isAttribute, hint) in [(true, fill), (false, relate)] {
      expect(
        MigrationFailure.missingValues(
          property: "name",
          isAttribute: isAttribute,
          [trip],
          count: 1
        ),
        .missingValue,
        "name becomes required, but 1 row would have no value: Trip 1.",
        hint
      )
    }
    expect(
      MigrationFailure.missingValues(property: "name", isAttribute: true, [trip], count: 3),
      .missingValue,
      "name becomes required, but 3 rows would have no value: Trip 1 and 2 more."
    )
  }

  @Test("Each failure of a history has its code.")
  func histories() {
    let failures: [(HistoryFailure, StoreError.Code)] = [
      (.damaged(.missingCatalogEntry), .damaged),
      (.expired(1, base: 2, oldest: 3), .historyExpired),
      (.deleted(1), .historyExpired), (.insideGap(2, of: 1...3), .historyExpired),
      (.otherLineage(1, storeLineage: 0), .historyDiverged),
      (.beyondHead(5, head: 4), .historyDiverged), (.otherDigest(1), .historyDiverged),
      (.otherBeginning(base: 1, comparedHead: 2), .historyDiverged),
      (.migrated(1, by: 2), .irreversible), (.erased(1), .irreversible),
      (.noTransactions(1...2, head: 0), .misuse), (.noStateAt(1, head: 2), .misuse),
      (.undoConflict(1...2, [], []), .undoConflict),
    ]
    for (reason, code) in failures { expect(reason, code) }
  }

  @Test("The error about an expired transaction gives the oldest transaction that is kept.")
  func expired() {
    let start =
      "Transaction 2 was deleted from the history of the store a.store, which begins after"
      + " transaction 3; "
    expect(
      HistoryFailure.expired(2, base: 3, oldest: 4),
      .historyExpired,
      start + "the oldest kept transaction is 4."
    )
    expect(
      HistoryFailure.expired(2, base: 3, oldest: nil),
      .historyExpired,
      start + "no transaction is kept."
    )
  }

  @Test("The errors about another history give both numbers.")
  func otherHistories() {
    let start = "The store a.store was restored from an older copy or is another store: "
    expect(
      HistoryFailure.otherLineage(1, storeLineage: 2),
      .historyDiverged,
      start + "the requested point is in lineage 1, but the store has lineage 2."
    )
    expect(
      HistoryFailure.beyondHead(9, head: 4),
      .historyDiverged,
      start + "the requested point is transaction 9, but the last transaction of the store is 4."
    )
    expect(
      HistoryFailure.otherDigest(3),
      .historyDiverged,
      start + "transaction 3 has another digest."
    )
    expect(
      HistoryFailure.insideGap(4, of: 3...5),
      .historyExpired,
      "The store a.store does not have the state after transaction 4: one gap has the changes of"
        + " transactions 3 to 5 together."
    )
  }

  @Test("Each kind of damage of a history has its sentence.")
  func damages() {
    let damages: [(HistoryDamage, String)] = [
      (.missingTransaction(3), "transaction 3 is missing"),
      (.missingChanges(of: 3), "changes of transaction 3 are missing"),
      (.missingSchema("s"), "the schema s is missing"),
      (.unknownKind("k"), "a change has the unknown kind k"),
      (.unknownOp("o", of: 3), "transaction 3 has the unknown op o"),
      (.unknownState("s", of: 3), "transaction 3 has the unknown state s"),
      (.impossibleNumber(-1, as: "n"), "n is the impossible number -1"),
      (.unreadable(3, "d"), "transaction 3 can't be read: d"),
      (.missingSeed(of: 3), "seeds of transaction 3 are missing"),
      (.noObject("x"), "x does not identify an object"),
    ]
    for (damage, text) in damages {
      expect(
        HistoryFailure.damaged(damage),
        .damaged,
        "The history of the store a.store is damaged: \(text)."
      )
    }
  }

  @Test("Each failure of a replay has its code and its sentence.")
  func replays() {
    let change: ReplayFailure.ChangeName = (sequence: 2, transaction: 7, object: trip)
    let failures: [(ReplayFailure, StoreError.Code, String)] = [
      (
        .replica, .replica,
        "The store a.store is a replica, which accepts only changes of its origin."
      ),
      (.notAReplica, .misuse, "The store a.store is not a replica."),
      (
        .gap(9, expected: 5), .historyGap,
        "Transaction 9 can't be replayed into the store a.store: the last transaction of the store"
          + " is 4, so transaction 5 must be next."
      ),
      (
        .snapshotIntoContents, .historyGap,
        "A snapshot can't be replayed into a.store, which is not empty."
      ),
      (
        .changedByOthers(version: "2"), .replayMismatch,
        "The replica a.store can't be migrated to version 2 of the schema because another program"
          + " has changed it."
      ),
      (
        .malformed(change, "a detail"), .damaged,
        "Change 2 of transaction 7 (Trip 1) can't be replayed: a detail."
      ),
      (
        .outOfPlace(change, next: 1, count: 3), .damaged,
        "Change 2 of transaction 7 (Trip 1) can't be replayed: change 1 of 3 must be next."
      ),
      (
        .incomplete(1, of: 3), .misuse,
        "Only 1 of 3 changes were replayed into the store a.store."
      ),
      (
        .otherLineage(1, replica: 2), .misuse,
        "A snapshot of lineage 1 can't be replayed into a.store, which has lineage 2."
      ),
      (
        .outOfOrder, .misuse,
        "The calls that replay into the store a.store were made in the wrong order."
      ),
      (
        .notAMigration(3), .misuse,
        "Transaction 3 has another schema than the transaction before it, but is not a migration."
      ),
      (
        .missingMigration(version: "2"), .misuse,
        "The migration of the store a.store to version 2 of the schema was not replayed."
      ),
    ]
    for (reason, code, message) in failures { expect(reason, code, message) }
    expect(ReplayFailure.mismatch(3, []), .replayMismatch)
  }

  // MARK: - Errors of SQLite

  private func sqlite(
    _ code: SQLiteError.Code,
    _ message: String = "m",
    path: String
  ) -> SQLiteError {
    SQLiteError(code: code, message: message, path: path)
  }

  private func described(
    _ error: SQLiteError,
    path: String = "/no/a.store",
    timeout: Duration? = nil
  ) -> StoreError? {
    #expect(throws: StoreError.self) {
      try describingErrors(at: path, timeout: timeout) { throw error }
    }
  }

  @Test("Each code of SQLite is described as a failure of the file.")
  func sqliteCodes() {
    let locked = "Another program is writing to /no/a.store and did not finish "
    let cases: [(SQLiteError.Code, StoreError.Code, String)] = [
      (SQLiteError.noMemory, .outOfMemory, ""),
      (SQLiteError.inputOutputNoMemory, .outOfMemory, ""),
      (SQLiteError.inputOutput, .inputOutput, ""),
      (.init(10 | 3 << 8), .inputOutput, ""),
      (SQLiteError.busy, .locked, locked + "within 7 s."),
      (.init(5 | 2 << 8), .locked, locked + "within 7 s."),
      (SQLiteError.locked, .locked, locked + "in time."),
      (SQLiteError.protocolFailure, .locked, locked + "in time."),
      (SQLiteError.full, .diskFull, ""),
      (SQLiteError.notADatabase, .notADatabase, ""),
      (SQLiteError.corrupt, .damaged, "The store /no/a.store is damaged."),
      (SQLiteError.readOnly, .readOnly, ""),
      (SQLiteError.cantOpen, .missing, ""),
      (SQLiteError.error, .database, ""),
      (SQLiteError.constraint, .database, ""),
      (SQLiteError.misuse, .database, ""),
    ]
    for (code, expected, message) in cases {
      let error = sqlite(code, path: "/no/a.store")
      let found = described(error, timeout: .seconds(7))
      #expect(found?.code == expected, "\(code)")
      if !message.isEmpty { #expect(found?.message == message) }
      #expect(found?.path == "/no/a.store" && found?.cause as? SQLiteError == error)
    }
  }

  @Test("Only an error about a missing table or column means that another program changed tables.")
  func otherTables() {
    for message in ["no such table: Trip", "no such column: x"] {
      let found = described(sqlite(SQLiteError.error, message, path: ""))
      #expect(found?.code == .damaged)
      #expect(found?.message.contains("(\(message))") == true)
      #expect(described(sqlite(SQLiteError.constraint, message, path: ""))?.code == .database)
    }
    for message in ["no such function: f", "a no such table: Trip"] {
      #expect(described(sqlite(SQLiteError.error, message, path: ""))?.code == .database)
    }
  }

  @Test("A file that SQLite can't open is missing, a folder, or without room for other files.")
  func cantOpen() throws {
    try withTemporaryFolder { folder in
      func code(_ path: String) -> String? {
        described(sqlite(SQLiteError.cantOpen, path: path), path: path)?.message
      }
      #expect(code(folder.path)?.contains("is a folder") == true)
      let file = folder.path + "/a.store"
      #expect(code(file) == "There is no file \(file).")
      try Data().write(to: URL(fileURLWithPath: file))
      #expect(code(file)?.contains("SQLite can't create its files in the folder") == true)
    }
  }

  @Test("An error of SQLite about a file is described, and any other error is thrown unchanged.")
  func errorsOfFiles() {
    let found = #expect(throws: StoreError.self) {
      try describingErrorsOfFiles { throw sqlite(SQLiteError.corrupt, path: "b.store") }
    }
    #expect(found?.code == .damaged && found?.path == "b.store")
    let other = sqlite(SQLiteError.constraint, path: "b.store")
    #expect(throws: other) { try describingErrorsOfFiles { throw other } }
    #expect(throws: CancellationError.self) {
      try describingErrorsOfFiles { throw CancellationError() }
    }
  }
}
