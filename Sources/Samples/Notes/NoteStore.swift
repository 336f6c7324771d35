import Foundation
import SwiftData

/// Keeps notes, away from the main thread.
@ModelActor
public actor NoteStore {
  /// Opens the notes of a file, or of memory.
  public static func open(at url: URL?) throws -> NoteStore {
    let configuration =
      url.map { ModelConfiguration(url: $0) } ?? ModelConfiguration(isStoredInMemoryOnly: true)
    return NoteStore(
      modelContainer: try ModelContainer(for: Note.self, configurations: configuration)
    )
  }

  /// Writes a note, and gives what it is known by.
  @discardableResult
  public func add(_ text: String) throws -> UUID {
    let note = Note(text: text)
    modelContext.insert(note)
    try modelContext.save()
    return note.id
  }

  /// Changes a note, and says whether there was one.
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

  /// All notes, those at the top first.
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
  /// How many there are.
  public func count() throws -> Int {
    try modelContext.fetchCount(FetchDescriptor<T>())
  }
}

/// Keeps notes by an executor that it makes itself.
public actor HandmadeNoteStore: ModelActor {
  /// The container of the notes.
  public nonisolated let modelContainer: ModelContainer
  /// The executor that all work runs on.
  public nonisolated let modelExecutor: any ModelExecutor

  /// Keeps notes in a container.
  public init(modelContainer: ModelContainer) {
    self.modelContainer = modelContainer
    modelExecutor = DefaultSerialModelExecutor(modelContext: ModelContext(modelContainer))
  }

  /// The words of all notes.
  public func texts() throws -> [String] {
    try modelContext.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text)])).map(\.text)
  }
}
