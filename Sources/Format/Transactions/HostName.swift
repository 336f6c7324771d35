import Glibc

/// The name of this machine; empty if it is not known.
package let hostName: String = {
  var name = [CChar](repeating: 0, count: 256)
  gethostname(&name, name.count - 1)
  return name.withUnsafeBufferPointer {
    $0.baseAddress.map { String(cString: $0) } ?? ""
  }
}()
