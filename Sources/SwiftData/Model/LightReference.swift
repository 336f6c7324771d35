import CSwiftRuntime

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
