import Foundation
import Glibc
import SQLite
import TestSupport
import Testing

@testable import Format
@testable import Store

@Suite("Codes of errors about files")
struct FailureCodesTests {
  @Test("The error about the file of a large value has the code of the system's reason.")
  func blobs() {
    let codes: [(Int32, StoreError.Code)] = [
      (ENOSPC, .diskFull), (EDQUOT, .diskFull), (EROFS, .readOnly), (EACCES, .readOnly),
      (EIO, .inputOutput), (ENOENT, .inputOutput),
    ]
    for (number, code) in codes {
      let error = BlobFolder(besides: "a.store").failure("write", file: "f", number: number)
      #expect(error.code == code)
    }
  }

  private func described(_ code: SQLiteError.Code, path: String) -> StoreError? {
    #expect(throws: StoreError.self) {
      try describingErrors(at: path, timeout: nil) {
        throw SQLiteError(code: code, message: "m", path: path)
      }
    }
  }

  @Test("Each code of SQLite is described as a failure of the file.")
  func sqliteCodes() {
    let cases: [(SQLiteError.Code, StoreError.Code)] = [
      (SQLiteError.noMemory, .outOfMemory), (SQLiteError.inputOutputNoMemory, .outOfMemory),
      (SQLiteError.inputOutput, .inputOutput), (.init(10 | 3 << 8), .inputOutput),
      (SQLiteError.busy, .locked), (.init(5 | 2 << 8), .locked), (SQLiteError.locked, .locked),
      (SQLiteError.protocolFailure, .locked), (SQLiteError.full, .diskFull),
      (SQLiteError.notADatabase, .notADatabase), (SQLiteError.corrupt, .damaged),
      (SQLiteError.readOnly, .readOnly), (SQLiteError.cantOpen, .missing),
      (SQLiteError.error, .database), (SQLiteError.constraint, .database),
    ]
    for (code, expected) in cases {
      let found = described(code, path: "/no/a.store")
      #expect(found?.code == expected && found?.path == "/no/a.store", "\(code)")
    }
  }

  @Test("A file that SQLite can't open is missing, a folder, or without room for other files.")
  func cantOpen() throws {
    try withTemporaryFolder { folder in
      func code(_ path: String) -> StoreError.Code? {
        described(SQLiteError.cantOpen, path: path)?.code
      }
      let file = folder.path + "/a.store"
      #expect(code(folder.path) == .notAStore)
      #expect(code(file) == .missing)
      try Data().write(to: URL(fileURLWithPath: file))
      #expect(code(file) == .readOnly)
    }
  }
}
