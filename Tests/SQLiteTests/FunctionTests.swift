import Foundation
import SQLite
import Testing

@Suite("Functions and collations")
struct FunctionTests {
  let connection: Connection

  init() throws {
    connection = try Connection(path: "", mode: .memory)
  }

  private func value(_ sql: String) throws -> String {
    let statement = try connection.prepare(sql)
    #expect(try statement.step())
    return statement.isNull(at: 0) ? "null" : statement.string(at: 0)
  }

  @Test("A function gets its arguments and returns every kind of value.")
  func results() throws {
    try connection.addFunction("echo", argumentCount: 1, isDeterministic: true) { arguments in
      switch arguments.type(at: 0) {
      case .null: .null
      case .integer: .integer(arguments.int64(at: 0) + 1)
      case .real: .real(arguments.double(at: 0) * 2)
      case .text: .text(arguments.string(at: 0) + "!")
      case .blob: .blob(arguments.data(at: 0) + [1])
      }
    }
    #expect(try value("SELECT echo(NULL)") == "null")
    #expect(try value("SELECT echo(41)") == "42")
    #expect(try value("SELECT echo(0.25)") == "0.5")
    #expect(try value("SELECT echo('a')") == "a!")
    #expect(try value("SELECT echo('')") == "!")
    #expect(try value("SELECT hex(echo(x'00ff'))") == "00FF01")
    #expect(try value("SELECT hex(echo(x''))") == "01")
  }

  @Test("A variadic function accepts any number of arguments.")
  func variadic() throws {
    try connection.addFunction("howmany", argumentCount: -1, isDeterministic: true) {
      .integer(Int64($0.count))
    }
    #expect(try value("SELECT howmany()") == "0")
    #expect(try value("SELECT howmany(1, 2, 3)") == "3")
    #expect(throws: SQLiteError.self) {
      try connection.addFunction("toomany", argumentCount: 1000, isDeterministic: true) { _ in .null
      }
    }
  }

  @Test("An error thrown by a function fails the statement with its text.")
  func failure() throws {
    struct Refused: Error, CustomStringConvertible {
      var description: String { "refused on purpose" }
    }
    try connection.addFunction("refuse", argumentCount: 0, isDeterministic: false) { _ in
      throw Refused()
    }
    let error = #expect(throws: SQLiteError.self) { try value("SELECT refuse()") }
    #expect(error?.message == "refused on purpose")
  }

  @Test("A collation orders texts by their bytes.")
  func collation() throws {
    try connection.addCollation("backwards") { left, right in
      left.elementsEqual(right) ? 0 : left.lexicographicallyPrecedes(right) ? 1 : -1
    }
    try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES ('a'), ('c'), ('b'), ('')")
    #expect(
      try value("SELECT group_concat(x, '<') FROM (SELECT x FROM t ORDER BY x COLLATE backwards)")
        == "c<b<a<"
    )
  }

  @Test("The connection releases its functions when it is closed.")
  func release() throws {
    final class Witness {}
    var witness: Witness? = Witness()
    weak let seen = witness
    var own: Connection? = try Connection(path: "", mode: .memory)
    try own?.addFunction("f", argumentCount: 0, isDeterministic: true) { [witness] _ in
      withExtendedLifetime(witness) { .null }
    }
    try own?.addCollation("c") { [witness] _, _ in withExtendedLifetime(witness) { 0 } }
    witness = nil
    #expect(seen != nil)
    own = nil
    #expect(seen == nil)
  }
}
