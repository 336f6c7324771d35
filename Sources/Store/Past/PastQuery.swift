import Format
import FoundationEssentials
import SQLite

/// A connection whose databases are states of stores at points, and whose statements only read them.
package final class PastQuery {
  /// The time that was allowed for the statements is over.
  package struct Timeout: Error { package init() {} }

  private let connection: Connection
  private let computed: ComputedTables
  private let states: [PastState]
  /// The error of a statement that is not allowed or that SQLite can't understand.
  package struct Refusal: Error {
    /// SQLite's words.
    package let message: String
  }

  /// Opens a connection.
  ///
  /// The first state is the database `main`; the other states have the names that are given.
  ///
  /// - Parameters:
  ///   - states: The states and their names.
  ///   - deadline: When the statements fail with ``Timeout``; nil if their time is not limited.
  /// - Throws: ``SQLiteError``.
  package init(
    _ states: [(name: String, state: PastState)],
    deadline: ContinuousClock.Instant? = nil
  ) throws {
    // If the path is empty, SQLite keeps what does not fit into memory in a temporary file.
    connection = try Connection(path: "", mode: .readWriteCreate)
    self.states = states.map(\.state)
    computed = try ComputedTables(on: connection)
    if let encoding = states.first?.state.encoding { try connection.setEncoding(encoding) }
    for (index, (name, state)) in states.enumerated() {
      if index > 0 { try connection.execute("ATTACH '' AS \(quoted(name))") }
      let schema = index == 0 ? "main" : name
      for table in state.tables { try computed.add(table, named: table.name, in: schema) }
      for view in state.views { create(view, in: schema) }
    }
    if let deadline { connection.limitTime(to: deadline) }
  }

  /// Creates a view; SQLite writes each definition as CREATE VIEW and the name.
  private func create(_ view: String, in schema: String) {
    let words = "CREATE VIEW "
    guard view.hasPrefix(words) else { return }
    // A view that SQLite can't create here is missing in the statements that use it.
    try? connection.execute("\(words)\(quoted(schema)).\(view.dropFirst(words.count))")
  }

  /// Prepares a statement.
  ///
  /// - Parameters:
  ///   - sql: A single statement that only reads.
  ///   - values: The values of its parameters by their names.
  /// - Returns: The rows of the statement.
  /// - Throws: ``Refusal``.
  package func rows(of sql: String, values: [String: Value] = [:]) throws -> Rows {
    let statement: Statement
    do {
      statement = try connection.prepareReading(sql)
    } catch SQLiteError.readOnly {
      throw Refusal(message: "it does something else than read")
    } catch let error as SQLiteError {
      throw Refusal(message: error.message)
    }
    guard statement.columnCount > 0 else { throw Refusal(message: "it returns no rows") }
    var unused = Set(values.keys)
    for (index, parameter) in statement.parameterNames.enumerated() {
      let name = String(parameter.dropFirst())
      guard let value = values[name] else {
        throw Refusal(
          message: "its parameter \(parameter.isEmpty ? "?" : parameter) has no value"
        )
      }
      unused.remove(name)
      try statement.bind(Int32(clamping: index) + 1, value)
    }
    if let name = unused.min() { throw Refusal(message: "it has no parameter :\(name)") }
    return Rows(statement, of: self)
  }

  /// The rows of a statement, which are read one after another.
  package final class Rows {
    package let columns: [String]
    private let statement: Statement
    private let query: PastQuery

    fileprivate init(_ statement: Statement, of query: PastQuery) {
      columns = (0..<statement.columnCount).map { statement.columnName(at: $0) }
      self.statement = statement
      self.query = query
    }

    /// The next row; nil after the last one.
    package func next() throws -> [Value]? {
      do {
        guard try statement.step() else { return nil }
      } catch let error as SQLiteError {
        if query.connection.isOverdue { throw Timeout() }
        let failure = query.computed.failure
        let isFull = (failure as? SQLiteError ?? error).primaryCode == SQLiteError.full
        if isFull { throw noTemporarySpace(error) }
        if let failure { throw failure }
        guard error.primaryCode == SQLiteError.error else { throw error }
        throw Refusal(message: error.message)
      }
      return columns.indices.map { statement.value(at: Int32(clamping: $0)) }
    }
  }
}

/// The error of a statement whose temporary files filled their disk.
private func noTemporarySpace(_ cause: SQLiteError) -> StoreError {
  StoreError(.diskFull, at: cause.path, cause: cause) {
    "There is no space left for the temporary files of the statement.\nFree space in the folder that"
      + " SQLITE_TMPDIR or TMPDIR names, or name a folder of another disk."
  }
}
