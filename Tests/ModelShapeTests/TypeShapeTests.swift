import SwiftData
import Testing

@Suite("Shapes of model classes")
struct TypeShapeTests {
  @Test("A model inherits the stored properties of its superclass and adds its own.")
  func families() {
    let puppy = ShapedPuppy(name: "Rex", weeks: 8)
    puppy.name += "!"
    puppy.breed = "collie"
    #expect(puppy.name == "Rex!")
    #expect(puppy.breed == "collie")
    #expect(puppy.weeks == 8)
    #expect(puppy.legs == 3)
    #expect(ShapedAnimal.schemaMetadata.map(\.name) == ["name", "legs"])
    #expect(ShapedDog.schemaMetadata.map(\.name) == ["breed", "owner", ""])
    #expect(ShapedPuppy.schemaMetadata.map(\.name) == ["weeks"])
    #expect(ShapedPuppy.Root.self == ShapedAnimal.self)
    let list: [ShapedAnimal] = [puppy, ShapedDog(name: "Max", breed: "mixed")]
    #expect(list.map(\.name) == ["Rex!", "Max"])
  }

  @Test("A model may have subclasses that are not models.")
  func plainSubclasses() {
    let plain = ShapedPlainAnimal(name: "Cat")
    let silent = ShapedSilentAnimal(name: "Fish")
    let bird = ShapedModelOverPlain(wings: 2)
    #expect([plain.name, silent.name, bird.name] == ["Cat", "Fish", "bird"])
    #expect(plain.extra + silent.extra + bird.wings == 4)
  }

  @Test("Each level of a family shows the same state.")
  func backingData() {
    let puppy = ShapedPuppy(name: "Rex", weeks: 8)
    let same = ShapedPuppy(backingData: (puppy as ShapedAnimal).persistentBackingData)
    #expect(same.name == "Rex")
    #expect(same.breed == "mixed")
    #expect(same.weeks == 8)
    same.weeks = 9
    #expect(puppy.weeks == 9)
    #expect(same == puppy)
  }

  @Test("Models may be bound to an actor, and their metadata is readable from any thread.")
  func actors() async {
    #expect(ShapedOnMain.schemaMetadata.map(\.name) == ["name", "date", "partners"])
    #expect(ShapedInWorld.schemaMetadata.map(\.name) == ["name"])
    let name = await MainActor.run {
      let model = ShapedOnMain(name: "main")
      model.rename()
      return model.name
    }
    #expect(name == "main!")
  }

  @Test("Models may be nested, and named like SwiftData's types.")
  func names() {
    let stop = ShapedSchemaV1.Stop(place: "Bergen")
    stop.trip = ShapedSchemaV1.Trip(name: "Norway")
    #expect(stop.trip?.name == "Norway")
    #expect(ShapedSchemaV2.Trip(title: "Norway").title == "Norway")
    let root = Root(name: "inner")
    root.root = Root(name: "outer")
    #expect(root.root?.name == "outer")
    #expect(Observation(value: 1).value + Attribute(value: 2).value == 3)
    #expect(`Protocol`(value: 2).value == 2)
  }

  @Test("A model may implement its conformances itself.")
  func conformances() throws {
    let identifier = UUID()
    let first = ShapedCodable(id: identifier, name: "a")
    let second = try JSONDecoder().decode(ShapedCodable.self, from: JSONEncoder().encode(first))
    #expect(first == second)
    #expect(first !== second)
    #expect(Set([first, second]).count == 1)
    #expect("\(second)" == "a")
    let id: String = ShapedIdentifiable(id: "x").id
    #expect(id == "x")
    #expect(ShapedNamedModel(name: "n").name == "n")
    #expect(ShapedExplicit(name: "n").name == "n")
    #expect(ShapedOverPlainBase(name: "n").memory == 1)
  }

  @Test("Models are equal only to themselves, unless they define equality.")
  func identity() {
    let one = ShapedPublic(name: "a")
    let other = ShapedPublic(name: "a")
    #expect(one == one)
    #expect(one != other)
    #expect(Set([one, other, one]).count == 2)
  }

  @Test("A model has the properties that the conditions of the build select.")
  func conditions() {
    let model = ShapedConditional(onLinux: 3)
    #expect(
      ShapedConditional.schemaMetadata.map(\.name) == ["before", "onLinux", "nested", "after"]
    )
    model.nested = "inner"
    model.after += 1
    #expect(model.onLinux == 3)
    #expect(model.nested == "inner")
    #expect(model.before == 1)
    #expect(model.after == 3)
  }

  @Test("A model may be private to one file.")
  func visibility() {
    #expect(shapesOfThisFile().count == 2)
    #expect(ShapedOpenChild(level: 2).name == "child")
    #expect(ShapedAvailable(name: "a").name == "a")
    #expect(ShapedPackage(name: "a").name == "a")
  }
}
