import CSwiftRuntime
import Changes
import Store

/// One value of an object, as its state holds it.
enum Slot {
  /// Nothing yet: a value that was neither set nor read from a store.
  case empty
  /// An attribute in its stored form.
  case value(Value)
  /// A value that is decoded once and encoded when it is saved.
  case decoded(DecodedValue)
  /// A reference to one object.
  case toOne(ToOne)
  /// References to many objects.
  case toMany(ToMany)
}

extension Slot {
  /// What a state holds of an attribute.
  static func attribute(_ stored: Value, codec: AttributeCodec) throws -> Slot {
    guard codec.type == .json || codec.type == .transformed else { return .value(stored) }
    return .decoded(DecodedValue(try codec.decode(stored), stored: stored))
  }
}

extension ContiguousArray<Slot> {
  /// Empty slots; `init(repeating:count:)` copies each as if it might hold an object.
  static func empty(_ count: Int) -> ContiguousArray {
    ContiguousArray(unsafeUninitializedCapacity: count) { buffer, initialized in
      for index in 0..<count { buffer.initializeElement(at: index, to: .empty) }
      initialized = count
    }
  }
}

/// A `Codable` or transformable value, with its stored form where that is known.
final class DecodedValue {
  let value: Any
  private(set) var stored: Value?

  init(_ value: Any, stored: Value? = nil) {
    self.value = value
    self.stored = stored
  }

  /// The stored form, made once.
  func stored(by codec: AttributeCodec) throws -> Value {
    if let stored { return stored }
    let made = try codec.encode(value)
    stored = made
    return made
  }
}

/// What a to-one relationship holds.
enum ToOne {
  case none
  /// A row that no object stands for yet.
  case row(Int64)
  /// An object, kept alive.
  case object(any PersistentModel)
  /// An object that keeps this one alive; read again when it is gone.
  case companion(WeakModel, row: Int64)
}

/// A reference to an object that does not keep it alive; one a state, shared by all who refer.
final class WeakModel {
  private let reference: LightReference

  init(_ reference: LightReference) { self.reference = reference }

  var model: (any PersistentModel)? { reference.model }
}

/// A set of the places of properties.
struct PropertySet {
  private var low: UInt64 = 0
  private var high: Set<Int> = []

  var isEmpty: Bool { low == 0 && high.isEmpty }

  func contains(_ index: Int) -> Bool {
    index < 64 ? low & (1 << UInt64(index)) != 0 : high.contains(index)
  }

  mutating func insert(_ index: Int) {
    if index < 64 { low |= 1 << UInt64(index) } else { high.insert(index) }
  }

  mutating func remove(_ index: Int) {
    if index < 64 { low &= ~(1 << UInt64(index)) } else { high.remove(index) }
  }

  mutating func removeAll() {
    low = 0
    if !high.isEmpty { high = [] }
  }
}

/// A reference to an object that neither keeps it alive nor makes it slower.
///
/// Swift's `weak` moves the count of an object that it refers to out of the object, for good: from
/// then on each retain and release, and so each access to a property, takes several times as long
/// (a fetch of 100,000 objects whose attributes are all read took 260 ms instead of 110). Unowned
/// counts stay in the object. They keep its memory, though not its contents, so that the runtime
/// can be asked whether the object is still alive; that question is what `weak` asks too, and has
/// the same answer on all threads.
struct LightReference {
  private unowned let object: any PersistentModel

  init(_ object: any PersistentModel) { self.object = object }

  /// The object; nil once nobody holds it.
  var model: (any PersistentModel)? {
    // The unowned count, which this reference has, keeps the memory of the object valid.
    let address = withUnsafeBytes(of: self) { $0.load(as: UnsafeMutableRawPointer.self) }
    guard let held = swift_tryRetain(address) else { return nil }
    defer { Unmanaged<AnyObject>.fromOpaque(held).release() }
    return object
  }
}
