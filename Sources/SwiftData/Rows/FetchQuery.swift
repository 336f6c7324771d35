import Format
import SQLite
import Store

struct FetchQuery {
  /// The part of the SQL that begins with `FROM`; the table has the alias `t0`.
  var tail: String
  var bindings: [Value]
  /// Whether the predicate must also filter the objects in memory.
  var filtersInMemory = false
  var sortsInMemory = false
  /// Whether the SQL has a limit or an offset.
  var isCut = false
  /// The maximum number of objects after filtering in memory; nil for no limit.
  var limit: Int?
  var offset: Int?

  var isInMemory: Bool { filtersInMemory || sortsInMemory }

  init<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    plan: RowPlan,
    map: EntityMap,
    sources: SQLSources
  ) throws {
    var conditions: [String] = []
    bindings = []
    let family = descriptor.includeSubclasses ? plan.condition : plan.exactCondition
    if let family { conditions.append(family) }
    if let predicate = descriptor.predicate {
      do {
        let query = try PredicateTranslation.translate(
          predicate,
          entity: plan.entity,
          map: map,
          sources: sources
        )
        conditions.append(query.text)
        bindings += query.bindings
      } catch let error as NotTranslatable {
        filtersInMemory = true
        FetchLog.note(
          "the predicate over \(plan.entity.name) is evaluated in memory, because SQL can't: "
            + "\(error)"
        )
      }
    }
    var order = sources.order(plan.entity.table)
    if !descriptor.sortBy.isEmpty {
      do {
        order = try SortTranslation.translate(
          descriptor.sortBy,
          entity: plan.entity,
          map: map,
          sources: sources
        )
      } catch let error as NotTranslatable {
        sortsInMemory = true
        FetchLog.note(
          "\(plan.entity.name) objects are sorted in memory, because SQL can't: \(error)"
        )
      }
    }
    tail = "FROM \(sources.table(plan.entity.table)) AS t0"
    if !conditions.isEmpty {
      tail += " WHERE " + conditions.map { "(\($0))" }.joined(separator: " AND ")
    }
    tail += " ORDER BY \(order)"
    if isInMemory {
      limit = descriptor.fetchLimit
      offset = descriptor.fetchOffset
    } else if descriptor.fetchLimit != nil || (descriptor.fetchOffset ?? 0) > 0 {
      // A limit of 0 means no limit, as in Core Data.
      let limit = descriptor.fetchLimit.flatMap { $0 > 0 ? $0 : nil } ?? -1
      isCut = true
      tail += " LIMIT \(limit) OFFSET \(max(0, descriptor.fetchOffset ?? 0))"
    }
  }

  func bind(to statement: Statement) throws {
    for (index, value) in bindings.enumerated() {
      try statement.bind(Int32(index + 1), value)
    }
  }

  func finish<T: PersistentModel>(_ models: [T], descriptor: FetchDescriptor<T>) throws -> [T] {
    guard isInMemory else { return models }
    var models = models
    if filtersInMemory, let predicate = descriptor.predicate {
      models = try models.filter(predicate.evaluate)
    }
    if sortsInMemory { models.sort(using: descriptor.sortBy) }
    return models.cut(offset: offset, limit: limit)
  }
}

extension Array {
  /// The elements after an offset, up to a limit; a limit of 0 means no limit.
  func cut(offset: Int?, limit: Int?) -> [Element] {
    let rest = dropFirst(Swift.max(0, offset ?? 0))
    guard let limit, limit > 0 else { return Array(rest) }
    return Array(rest.prefix(limit))
  }
}
