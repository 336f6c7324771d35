import Format

/// The source of the values of one column when a table is filled.
struct ColumnSource: Sendable {
  /// A value that the migration itself sets, which history records as an update.
  struct Fill: Sendable {
    /// The SQL condition of the old rows that get the value.
    var condition: String
    /// The SQL for the value before the migration.
    var before: String
    var after: Value
  }

  var column: ColumnIndex
  /// The SQL for the value, an expression over the old row.
  var expression: String
  /// The value of the parameter `?` in the expression; nil if the expression has no parameter.
  var parameter: Value?
  var fill: Fill?
  /// The old column, if its values are copied unchanged.
  var oldColumn: String?
  /// Whether the expression can be NULL although the column is required.
  var mayLackValue = false
  /// The links from which a to-one column is filled, at most one for each owner.
  var singleLink: LinkSource?

  /// Whether the column is empty, or is copied from an old column.
  var isPlain: Bool { fill == nil && singleLink == nil && !mayLackValue && parameter == nil }
}

/// The rows of one entity that move from an old table to a new one.
struct RowSource: Sendable {
  var entity: EntityIndex
  var oldEntity: EntityIndex
  /// The old table, quoted.
  var table: String
  /// The condition of the rows; nil for all rows of the table.
  var condition: String?
  var columns: [ColumnSource]

  /// The old table's name in the expressions.
  static let alias = "\"store_old\""

  /// The text after `FROM`: the old table with the condition of the rows, and with a further
  /// condition if it is given.
  func rows(where other: String? = nil) -> String {
    let conditions = [condition, other].compactMap { $0 }.map { "(\($0))" }
    return "\(table) AS \(Self.alias)"
      + (conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")
  }
}

extension SchemaMapping {
  /// The source of a new entity's rows; nil if the entity gets no rows.
  func rows(of entity: EntityIndex) -> RowSource? {
    guard let oldEntity = sources[entity] else { return nil }
    let old = oldLayouts[oldEntity]
    var result = RowSource(
      entity: entity,
      oldEntity: oldEntity,
      table: old.table,
      condition: old.ownCondition,
      columns: []
    )
    let layout = newLayouts[entity]
    for (number, column) in layout.columns.enumerated() {
      let index = ColumnIndex(number)
      switch column.content {
      case .attribute(let position):
        result.columns.append(
          values(of: layout.entity.attributes[position], at: index, in: entity)
        )
      case .relationship(let position):
        result.columns.append(
          links(of: layout.entity.relationships[position], at: index, for: result)
        )
      }
    }
    return result
  }

  private func values(
    of attribute: Attribute,
    at index: ColumnIndex,
    in entity: EntityIndex
  ) -> ColumnSource {
    let initial = attribute.defaultValue ?? .null
    guard let old = source(of: attribute, in: entity),
      let conversion = TypeConversion(from: old.type, to: attribute.type)
    else {
      var result = ColumnSource(column: index, expression: "NULL")
      if initial != .null {
        result.expression = "?"
        result.parameter = initial
        result.fill = ColumnSource.Fill(condition: "1", before: "NULL", after: initial)
      } else {
        result.mayLackValue = !attribute.isOptional
      }
      return result
    }
    let column = quoted(old.column)
    var result = ColumnSource(column: index, expression: conversion.sql(column))
    if conversion == .none { result.oldColumn = old.column }
    if old.isExternal, !attribute.isExternal {
      result.expression =
        "CASE typeof(\(column)) WHEN 'text' THEN store_blob_content(\(column)) ELSE \(column) END"
      result.oldColumn = nil
    }
    guard old.isOptional, !attribute.isOptional else { return result }
    guard initial != .null else {
      result.mayLackValue = true
      return result
    }
    result.expression = "coalesce(\(result.expression), ?)"
    result.parameter = initial
    result.oldColumn = nil
    result.fill = ColumnSource.Fill(
      condition: "\(column) IS NULL",
      before: "NULL",
      after: initial
    )
    return result
  }

  private func links(
    of relationship: Relationship,
    at index: ColumnIndex,
    for rows: RowSource
  ) -> ColumnSource {
    var result = ColumnSource(column: index, expression: "NULL")
    let isRequired = !relationship.isOptional
    guard let link = links(of: relationship, in: rows.entity) else {
      result.mayLackValue = isRequired
      return result
    }
    guard link.table == rows.table, link.source == "\"id\"" else {
      result.expression =
        "(SELECT \"target\" FROM (\(link.pairs)) WHERE \"source\" = \(RowSource.alias).\"id\")"
      result.singleLink = link
      result.mayLackValue = isRequired
      return result
    }
    result.expression = link.target
    let old = oldLayouts[rows.oldEntity].columns.first { $0.quoted == link.target }
    result.oldColumn = old?.name
    result.mayLackValue = isRequired && old?.isOptional ?? true
    if let destination = old?.destination,
      let isLost = isLost(link.target, of: oldLayouts[destination])
    {
      result.expression = "CASE WHEN \(isLost) THEN NULL ELSE \(link.target) END"
      result.oldColumn = nil
      result.mayLackValue = isRequired
      result.fill = ColumnSource.Fill(condition: isLost, before: link.target, after: .null)
    }
    return result
  }
}
