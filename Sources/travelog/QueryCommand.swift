import Audit
import CommandLineKit
import Format
import Pipeline
import Report
import Store

extension Travelog {
  static let queried = Parameter<String>.positional(
    "STORE",
    type: .file,
    help: "A store, log folder or log, with an optional point: trips.store@412."
  )
  static let statement = Parameter<String?>.optional(
    "SELECT",
    type: .text,
    isPositional: true,
    help: "A statement in the SQL of SQLite that reads the tables of the point."
  )
  static let points = Parameter<[Assignment]>.repeated(
    "at",
    type: .assignment,
    placeholder: "NAME=STORE",
    help: "Another state, whose tables the statement names as NAME.TABLE."
  )
  static let values = Parameter<[Assignment]>.repeated(
    "parameter",
    short: "p",
    type: .assignment,
    help: "The value of the parameter :NAME in the statement."
  )
  static let csv = Parameter<Bool>.toggle("csv", help: "Write the rows as CSV.")
  static let tables = Parameter<Bool>.toggle(
    "tables",
    help: "List the tables and columns of the point."
  )
  static let newFile = Parameter<String?>.optional(
    "into",
    type: .file,
    placeholder: "NEW.db",
    help: "Write the state to a new SQLite file."
  )
  static let chosenTables = Parameter<[String]>.repeated(
    "table",
    type: .text,
    placeholder: "NAME",
    help: "With --into, write only this table."
  )
  static let timeout = Parameter<Duration?>.optional(
    "timeout",
    type: .duration,
    help: "Fail if the statement takes longer."
  )

  static let queryCommand = Command(
    "query",
    summary: "Runs a SELECT on a store as it was at a point, without a restore.",
    discussion:
      "The statement sees the tables and columns of the point, by their names at that point. The "
      + "store is only read. What changed after the point is read from its history, so recent "
      + "points are fast. Logs are read from the nearest snapshot on, for the tables of the "
      + "statement. What a migration changed is restored in a temporary folder first. Erased "
      + "values, and values that the history leaves out, are NULL; a message says so. A parameter "
      + "is a number if its value looks like one, and otherwise a text.",
    examples: [
      "travelog query app.db@412 'SELECT * FROM product'": "Show a table after transaction 412.",
      "travelog query app.db --at old=app.db@2026-11-03 'SELECT * FROM old.product EXCEPT SELECT * FROM product'":
        "Show the rows that changed since a day.",
      "travelog query app.db@412 'SELECT name FROM product WHERE id = :id' -p id=7":
        "Give a value to a statement.",
      "travelog query app.db@412 --into old.db": "Write the state for other programs.",
    ],
    parameters: [
      queried, statement, points, values, csv, tables, newFile, chosenTables, timeout,
    ],
    exitCodes: [
      .unreadable, .missing, .locked, .historyGap, .schemaMismatch, .filteredLog, .interrupted,
      .terminated,
    ]
  ) { call in
    let given = call.arguments
    try checkQuery(call)
    let deadline = given[timeout].map { ContinuousClock.now + $0 }
    let (line, tick) = call.tick("changes")
    var names: Set<String> = ["main", "temp"]
    for point in given[points] where !names.insert(point.name.lowercased()).inserted {
      throw CommandError(.usage) {
        "The name \(inQuotes(point.name)) of --at is used already.\nGive another name."
      }
    }
    do {
      let queried = try QueriedStates(
        [("main", given[Self.queried])] + given[points].map { ($0.name, $0.value) }
      ) { progress in
        if let deadline, ContinuousClock.now >= deadline { throw PastQuery.Timeout() }
        try tick(progress)
      }
      let states = queried.states
      if given[tables] {
        for state in states { try call.list(state, isNamed: states.count > 1) }
      } else if let path = given[newFile] {
        try call.write(states[0], to: path, tick: { try tick(Progress()) })
      } else if let sql = given[statement] {
        let query = try PastQuery(states.map { ($0.name, $0.state) }, deadline: deadline)
        do {
          let rows = try query.rows(of: sql, values: call.values())
          try call.write(rows) { try line.clear() }
        } catch let error as PastQuery.Refusal {
          throw call.refusal(error, states)
        }
      }
      try line.clear()
      for state in states { try call.warn(about: state) }
    } catch is PastQuery.Timeout {
      throw CommandError(.failure) {
        "The statement took longer than \(given[timeout]?.formatted() ?? "allowed")."
          + "\nGive a longer --timeout."
      }
    } catch let error as StoreError where error.code == .misuse {
      throw CommandError(.usage) { error.wording }
    }
    return .success
  }

  /// Throws unless the parameters fit together.
  private static func checkQuery(_ call: Call) throws {
    let given = call.arguments
    let ways = [given[statement] != nil, given[tables], given[newFile] != nil].filter { $0 }
    guard ways.count == 1 else {
      throw CommandError(.usage) {
        "“travelog query” needs a SELECT, --tables or --into, and only one of them."
          + "\nShow the tables: travelog query \(given[queried]) --tables"
      }
    }
    guard given[chosenTables].isEmpty || given[newFile] != nil else {
      throw CommandError(.usage) {
        "--table chooses the tables for --into.\nName the tables of a SELECT in the statement."
      }
    }
    guard !given[csv] || !given[json] else {
      throw CommandError(.usage) {
        "--csv and --json are two forms of the rows.\nGive one of them."
      }
    }
  }
}

extension Call {
  /// The values of the statement's parameters.
  fileprivate func values() -> [String: Value] {
    Dictionary(
      arguments[Travelog.values].map { assignment in
        let text = assignment.value
        let value: Value =
          if let number = Int64(text) {
            .integer(number)
          } else if let number = Double(text), number.isFinite, text.first?.isLetter == false {
            .real(number)
          } else {
            .text(text)
          }
        return (assignment.name, value)
      },
      uniquingKeysWith: { _, last in last }
    )
  }

  fileprivate func refusal(
    _ error: PastQuery.Refusal,
    _ states: [QueriedStates.Named]
  ) -> CommandError {
    let leftOut = states.flatMap(\.state.leftOut).first {
      ["no such table: \($0)", "no such table: main.\($0)"].contains(error.message)
    }
    if let leftOut {
      return CommandError(.usage) {
        "The history leaves out the table \(inQuotes(leftOut)), so its rows are known only now."
          + "\nAsk the program's database for them."
      }
    }
    return CommandError(.usage) {
      "The statement can't be run: \(error.message)."
        + "\nIt must be a SELECT on the tables of the point: travelog query"
        + " \(arguments[Travelog.queried]) --tables"
    }
  }

  // MARK: Rows

  fileprivate func write(_ rows: PastQuery.Rows, clear: () throws -> Void) throws {
    let form = RowForm(columns: rows.columns)
    // Every line is as wide as the lines of the first rows need.
    var first = [rows.columns.map(visible)]
    var widths: [Int]?
    func showFirst() throws {
      widths = rows.columns.indices.map { index in
        first.map { displayWidth($0[index]) }.max() ?? 0
      }
      for cells in first { try output.write(aligned(cells, widths: widths ?? [])) }
      first = []
    }
    let (isCSV, isJSON) = (arguments[Travelog.csv], arguments[Travelog.json])
    if isCSV { try output.write(form.csvHeading) }
    var count = 0
    while let values = try rows.next() {
      if count == 0 { try clear() }
      count += 1
      if count & 0xff == 0 { try Interruption.check() }
      if isCSV {
        try output.write(form.csv(values))
      } else if isJSON {
        try answer(form.json(values))
      } else if let widths {
        try output.write(aligned(values.map(form.text), widths: widths))
      } else {
        first.append(values.map(form.text))
        if first.count == 256 { try showFirst() }
      }
    }
    if !isCSV, !isJSON, widths == nil { try showFirst() }
  }

  /// A line with cells of some widths, two blanks apart.
  private func aligned(_ cells: [String], widths: [Int]) -> String {
    var line = ""
    for (cell, width) in zip(cells, widths) {
      line += cell + String(repeating: " ", count: max(0, width - displayWidth(cell)) + 2)
    }
    while line.last == " " { line.removeLast() }
    return line + "\n"
  }

  fileprivate func write(
    _ named: QueriedStates.Named,
    to path: String,
    tick: () throws -> Void
  ) throws {
    let chosen = arguments[Travelog.chosenTables]
    let known = named.state.tables.map(\.name)
    if let unknown = chosen.first(where: { !known.contains($0) }) {
      throw CommandError(.missing) {
        "\(named.text) has no table \(inQuotes(unknown)).\nIts tables: \(listText(known))."
      }
    }
    let count = try named.state.write(to: path, tables: chosen, tick: tick)
    try summarize("\(path): wrote \(counted(count, noun: "row"))")
  }

  // MARK: Tables

  fileprivate func list(_ named: QueriedStates.Named, isNamed: Bool) throws {
    for table in named.state.tables {
      if arguments[Travelog.json] {
        var object = JSONText(type: "query_table")
        object.add("state", text: named.name)
        object.add("table", text: table.name)
        object.add("columns", texts: table.columns.map(\.name))
        try answer(object)
      } else {
        let prefix = isNamed ? "\(named.name)." : ""
        let columns = table.columns.map(\.name).joined(separator: ", ")
        try output.writeLine(visible("\(prefix)\(table.name)(\(columns))"))
      }
    }
  }

  /// Says which values of a state are not known.
  fileprivate func warn(about named: QueriedStates.Named) throws {
    if let end = named.assumedEnd {
      try warn(
        "The end of transaction \(end) of \(named.text) is assumed: the program may have committed"
          + " later changes together with it."
      )
    }
    if named.uncapturedCommits > 0 {
      try warn(
        "\(counted(named.uncapturedCommits, noun: "commit")) changed recorded tables without the"
          + " triggers. The earlier rows are not known, so these changes are also in \(named.text)."
          + "\n“travelog status” names the tables."
      )
    }
    if let start = named.unprovenStart {
      try warn(
        "\(named.text) begins with the snapshot of transaction \(start), which nothing proves; see"
          + " “travelog verify”."
      )
    }
    for (column, count) in named.state.erased {
      try warn(
        "\(counted(count, noun: "value")) of \(visible(column)) in \(named.text)"
          + " \(count == 1 ? "was" : "were") erased, and \(count == 1 ? "is" : "are") NULL."
      )
    }
    for table in named.state.tables where table.isUsed {
      let columns = table.columns.filter(\.isLeftOut).map(\.name)
      guard !columns.isEmpty else { continue }
      try warn(
        "The history leaves out \(visible(listText(columns))) of \(visible(table.name)) in"
          + " \(named.text), so these values are NULL."
      )
    }
  }
}
