import Foundation
import SwiftData

/// A note, as a package for several apps would offer it.
@Model
public final class Note {
  /// What the note is known by outside of its store.
  public private(set) var id: UUID
  /// The words of the note.
  public var text: String
  /// When it was written.
  public private(set) var createdAt: Date
  /// Whether it stays at the top.
  public var isPinned: Bool = false

  /// Writes a note.
  public init(id: UUID = UUID(), text: String, createdAt: Date = .now) {
    self.id = id
    self.text = text
    self.createdAt = createdAt
  }
}

/// What of a note can leave its store.
public struct NoteSummary: Identifiable, Hashable, Sendable {
  /// What the note is known by.
  public let id: UUID
  /// Its first line.
  public let title: String

  init(_ note: Note) {
    id = note.id
    title = note.text.split(separator: "\n").first.map(String.init) ?? ""
  }
}
