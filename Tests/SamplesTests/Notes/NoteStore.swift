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
