import Foundation
import SwiftData

/// Reads and writes notes on an actor, away from the main thread.
@ModelActor
public actor NoteStore {
  /// Opens the notes in a file, or in memory if there is no file.
  public static func open(at url: URL?) throws -> NoteStore {
    let configuration =
      url.map { ModelConfiguration(url: $0) } ?? ModelConfiguration(isStoredInMemoryOnly: true)
    return NoteStore(
      modelContainer: try ModelContainer(for: Note.self, configurations: configuration)
    )
  }

  /// Adds a note and returns its identifier.
  @discardableResult
  public func add(_ text: String) throws -> UUID {
    let note = Note(text: text)
    modelContext.insert(note)
    try modelContext.save()
    return note.id
  }

  /// Changes a note; returns whether the note exists.
  public func update(_ id: UUID, text: String) throws -> Bool {
    guard let note = try note(id) else { return false }
    note.text = text
    try modelContext.save()
    return true
  }

  /// Pins a note to the top.
  public func pin(_ id: UUID) throws {
    try note(id)?.isPinned = true
    try modelContext.save()
  }

  /// Removes a note.
  public func remove(_ id: UUID) throws {
    if let note = try note(id) { modelContext.delete(note) }
    try modelContext.save()
  }

  /// All notes; notes that are pinned to the top are first.
  public func summaries() throws -> [NoteSummary] {
    let notes = try modelContext.fetch(
      FetchDescriptor<Note>(sortBy: [SortDescriptor(\.createdAt)])
    )
    return (notes.filter(\.isPinned) + notes.filter { !$0.isPinned }).map(NoteSummary.init)
  }

  private func note(_ id: UUID) throws -> Note? {
    try modelContext.fetch(FetchDescriptor<Note>(predicate: #Predicate { $0.id == id })).first
  }
}

/// Counts the objects of any model, away from the main thread.
@ModelActor
public actor Counter<T: PersistentModel> {
  /// The number of objects.
  public func count() throws -> Int {
    try modelContext.fetchCount(FetchDescriptor<T>())
  }
}

/// Reads and writes notes with an executor that the actor creates itself.
public actor HandmadeNoteStore: ModelActor {
  /// The container of the notes.
  public nonisolated let modelContainer: ModelContainer
  /// The executor on which all work runs.
  public nonisolated let modelExecutor: any ModelExecutor

  /// Creates an actor for the notes in a container.
  public init(modelContainer: ModelContainer) {
    self.modelContainer = modelContainer
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
  }

  /// The texts of all notes.
  public func texts() throws -> [String] {
    try modelContext.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text)])).map(\.text)
  }
}
