import Format
import SQLite

/// Finds rows that can't be migrated, before anything is changed.
struct MigrationChecks {
  let plan: MigrationPlan
  let connection: Connection

  /// The maximum number of objects that an error names.
  private static let namedAtMost = 10

  func run() throws {
    for table in plan.tables {
      for row in table.rows {
        for column in row.columns {
          if let links = column.singleLink { try checkSingle(links, column: column, row: row) }
          if column.mayLackValue { try checkPresence(column, row: row) }
        }
      }
    }
  }

  private func property(_ column: ColumnSource, row: RowSource) -> String {
    let layout = plan.mapping.newLayouts[row.entity]
    return "\(layout.entity.name).\(layout.columns[column.column].property)"
  }

  /// Throws if a property is required and rows have no value for it.
  private func checkPresence(_ column: ColumnSource, row: RowSource) throws {
    let rows = row.rows(where: "(\(column.expression)) IS NULL")
    let count = try number("SELECT count(*) FROM \(rows)")
    guard count > 0 else { return }
    let ids = try numbers("SELECT \"id\" FROM \(rows) ORDER BY \"id\" LIMIT \(Self.namedAtMost)")
    let layout = plan.mapping.newLayouts[row.entity]
    throw StoreError(
      .missingValue,
      at: connection.path,
      items: ids.map { ObjectName(layout.entity.name, id: $0) }
    ) {
      "\(property(column, row: row)) becomes required, but \(countText(count, noun: "row")) would"
        + " have no value: \(layout.entity.name) \(listText(ids.map { "\($0)" }, of: count))."
        + (layout.columns[column.column].destination == nil
          ? "\nGive the attribute a default value in the model, or fill these rows first."
          : "\nMake the relationship optional, or set it in a custom stage first.")
    }
  }

  /// Throws if a relationship becomes to-one and an object has several links.
  private func checkSingle(_ links: LinkSource, column: ColumnSource, row: RowSource) throws {
    // The links of a whole family can be in one table, so the owners are limited to this entity.
    let owners =
      "SELECT \"source\" FROM (\(links.pairs))"
      + " WHERE \"source\" IN (SELECT \"id\" FROM \(row.rows()))"
      + " GROUP BY \"source\" HAVING count(*) > 1"
    let count = try number("SELECT count(*) FROM (\(owners))")
    guard count > 0 else { return }
    let ids = try numbers("\(owners) ORDER BY \"source\" LIMIT \(Self.namedAtMost)")
    let name = plan.mapping.newLayouts[row.entity].entity.name
    throw StoreError(.duplicate, at: connection.path, items: ids.map { ObjectName(name, id: $0) }) {
      "\(property(column, row: row)) becomes a relationship to one object, but refers to several"
        + " objects in \(countText(count, noun: "object")): \(name)"
        + " \(listText(ids.map { "\($0)" }, of: count)).\nIn a custom stage, first remove all"
        + " objects except one from the relationship."
    }
  }

  /// The error for rows that conflict in a new unique index; nil if no rows conflict.
  func duplicates(in table: TableDefinition) throws -> StoreError? {
    for layout in plan.mapping.newLayouts where layout.entity.table == table.name {
      for names in layout.entity.uniques {
        if let error = try duplicates(of: names, in: layout) { return error }
      }
    }
    return nil
  }

  private func duplicates(of names: [String], in layout: EntityLayout) throws -> StoreError? {
    let columns = names.compactMap { name in layout.column(of: name) }
      .map { layout.columns[$0].quoted }
    guard columns.count == names.count else { return nil }
    let conditions = columns.map { "\($0) IS NOT NULL" } + (layout.condition.map { [$0] } ?? [])
    let groups =
      "SELECT \(columns.joined(separator: ", ")), count(*) AS \"store_count\""
      + " FROM \(layout.table) WHERE \(conditions.joined(separator: " AND "))"
      + " GROUP BY \(columns.joined(separator: ", ")) HAVING count(*) > 1"
    let count = try number("SELECT count(*) FROM (\(groups))")
    guard count > 0 else { return nil }
    let example = try connection.prepare("\(groups) ORDER BY \"store_count\" DESC LIMIT 1")
    guard try example.step() else { return nil }
    let values = columns.indices.map { example.value(at: Int32($0)) }
    let matches = columns.enumerated().map { "\($0.element) = ?\($0.offset + 1)" }
    let ids = try connection.all(
      "SELECT \"id\" FROM \(layout.table)"
        + " WHERE \((conditions + matches).joined(separator: " AND ")) ORDER BY \"id\""
        + " LIMIT \(Self.namedAtMost)",
      values: values
    ) { $0.int64(at: 0) }
    let total = Int(example.int64(at: Int32(columns.count)))
    let entity = layout.entity.name
    return StoreError(
      .duplicate,
      at: connection.path,
      items: ids.map { ObjectName(entity, id: $0) }
    ) {
      "\(listText(names)) of \(entity) becomes unique, but"
        + " \(count == 1 ? "1 value occurs" : "\(count) values occur") more than once:"
        + " \(listText(values.map { words($0) })) in \(entity)"
        + " \(listText(ids.map { "\($0)" }, of: total))."
        + "\nMake the values differ in a custom stage first."
    }
  }

  /// The error for links that would be dangling after the migration; nil if there are no such
  /// links.
  func danglingLinks() throws -> StoreError? {
    let statement = try connection.prepare("PRAGMA foreign_key_check")
    guard try statement.step() else { return nil }
    return StoreError(.missingReference, at: connection.path) {
      "Row \(statement.int64(at: 1)) of the table \(statement.string(at: 0)) would refer to a row"
        + " of \(statement.string(at: 2)) that does not exist after the migration; nothing was"
        + " changed."
        + "\nSet the relationship to another object first."
    }
  }

  private func number(_ sql: String) throws -> Int { Int(try numbers(sql).first ?? 0) }

  private func numbers(_ sql: String) throws -> [Int64] {
    try connection.all(sql) { $0.int64(at: 0) }
  }
}
