import SwiftData

@Model final class Note { var text = "kept" }

let container = try ModelContainer(
  for: Note.self,
  configurations: ModelConfiguration(isStoredInMemoryOnly: true)
)
let context = ModelContext(container)
context.insert(Note())
try context.save()
print(try context.fetch(FetchDescriptor<Note>()).map(\.text))
