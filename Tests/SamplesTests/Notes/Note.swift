import Foundation
import SwiftData

/// A note, as a package for several apps would offer it.
@Model
public final class Note {
  /// The identifier of the note outside of its store.
  public private(set) var id: UUID
  /// The text of the note.
  public var text: String
  /// The time when the note was written.
  public private(set) var createdAt: Date
  /// Whether the note stays at the top.
  public var isPinned: Bool = false

  /// Creates a note.
  public init(id: UUID = UUID(), text: String, createdAt: Date = .now) {
    self.id = id
    self.text = text
    self.createdAt = createdAt
  }
}

/// The values of a note that can be passed to other threads.
public struct NoteSummary: Identifiable, Hashable, Sendable {
  /// The identifier of the note.
  public let id: UUID
  /// The first line of the note.
  public let title: String

  init(_ note: Note) {
    id = note.id
    title = note.text.split(separator: "\n").first.map(String.init) ?? ""
  }
}
