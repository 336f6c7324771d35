import Foundation
import SwiftData

protocol Repository {
  associatedtype Entity: PersistentModel

  func all(sortedBy order: [SortDescriptor<Entity>]) throws -> [Entity]
  func first(where predicate: Predicate<Entity>) throws -> Entity?
  func count(where predicate: Predicate<Entity>?) throws -> Int
  func add(_ entity: Entity) throws
  func remove(_ entity: Entity) throws
}

protocol Timestamped {
  var createdAt: Date { get }
}

struct SwiftDataRepository<T: PersistentModel>: Repository {
  typealias Entity = T

  private let context: ModelContext

  init(context: ModelContext) {
    self.context = context
  }

  func all(sortedBy order: [SortDescriptor<T>] = []) throws -> [T] {
    try context.fetch(FetchDescriptor<T>(sortBy: order))
  }

  func first(where predicate: Predicate<T>) throws -> T? {
    var descriptor = FetchDescriptor<T>(predicate: predicate)
    descriptor.fetchLimit = 1
    return try context.fetch(descriptor).first
  }

  func find(_ id: PersistentIdentifier) throws -> T? {
    if let known: T = context.registeredModel(for: id) { return known }
    let predicate = #Predicate<T> { $0.persistentModelID == id }
    return try first(where: predicate)
  }

  func count(where predicate: Predicate<T>? = nil) throws -> Int {
    try context.fetchCount(FetchDescriptor<T>(predicate: predicate))
  }

  func add(_ entity: T) throws {
    context.insert(entity)
    try context.save()
  }

  func remove(_ entity: T) throws {
    context.delete(entity)
    try context.save()
  }

  func removeAll(where predicate: Predicate<T>? = nil) throws {
    try context.delete(model: T.self, where: predicate)
    try context.save()
  }

  /// Saves all changes of the closure, or none if the closure throws.
  func transaction(_ work: (ModelContext) throws -> Void) throws {
    do {
      try context.transaction { try work(context) }
    } catch {
      context.rollback()
      throw error
    }
  }
}

extension SwiftDataRepository where T: Timestamped {
  func created(after date: Date) throws -> [T] {
    let predicate = #Predicate<T> { $0.createdAt > date }
    return try all().filter { try predicate.evaluate($0) }
  }
}
