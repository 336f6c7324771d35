import SQLite
import Testing

import func Format.quoted

@testable import SwiftData

/// A store in memory with objects for predicates.
struct PredicateStore {
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: PItem.self,
      PPerson.self,
      PAuthor.self,
      PGroup.self,
      PBadge.self,
      PIndexed.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    context = ModelContext(container)
  }

  /// Runs a query over the saved rows of an entity.
  func withConnection<Result>(
    to entity: EntityDescription,
    _ body: (Connection) throws -> Result
  ) throws -> Result {
    try #require(context.session(of: entity) as? NativeSession).withConnection(body)
  }

  /// The translation of a predicate over the tables.
  func translation<T: PersistentModel>(_ predicate: Predicate<T>) throws -> SQLQuery {
    let entity = try #require(container.map.entity(of: T.self))
    return try PredicateTranslation.translate(
      predicate,
      entity: entity,
      map: container.map,
      sources: sources(entity)
    )
  }

  func sources(_ entity: EntityDescription) -> SQLSources {
    SQLSources(
      table: quoted,
      storeIdentifier: container.storeIdentifier(of: entity)
    )
  }

  /// Expects that a predicate is SQL, and that SQL selects what evaluating it selects.
  @discardableResult
  func expectSame<T: PersistentModel>(
    _ predicate: Predicate<T>,
    _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Int {
    let all = try context.fetch(FetchDescriptor<T>())
    let wanted = try all.filter(predicate.evaluate)
    let sql: SQLQuery
    do {
      sql = try translation(predicate)
    } catch {
      Issue.record("\(error): \(predicate.expression)", sourceLocation: sourceLocation)
      return 0
    }
    let found = try context.fetch(FetchDescriptor<T>(predicate: predicate))
    let missing = Set(wanted.map(\.persistentModelID))
      .symmetricDifference(found.map(\.persistentModelID))
    #expect(
      missing.isEmpty,
      "\(comment?.rawValue ?? "") \(sql.text) \(sql.bindings): \(missing.map(\.key))",
      sourceLocation: sourceLocation
    )
    return wanted.count
  }

  /// Expects that a predicate can't be SQL, for a reason that contains the text.
  func expectRefused<T: PersistentModel>(
    _ predicate: Predicate<T>,
    _ reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    do {
      let sql = try translation(predicate)
      Issue.record("\(sql.text)", sourceLocation: sourceLocation)
    } catch let error as NotTranslatable {
      #expect(error.description.contains(reason), sourceLocation: sourceLocation)
    }
  }

  /// Expects the SQL of a predicate.
  func expectSQL<T: PersistentModel>(
    _ predicate: Predicate<T>,
    _ text: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try translation(predicate).text == text, sourceLocation: sourceLocation)
    try expectSame(predicate, sourceLocation: sourceLocation)
  }
}
