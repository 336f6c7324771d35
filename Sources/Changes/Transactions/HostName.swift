import Glibc

/// The name of this machine, or an empty text.
package let hostName: String = {
  var name = [CChar](repeating: 0, count: 256)
  gethostname(&name, name.count - 1)
  return name.withUnsafeBufferPointer {
    $0.baseAddress.map { String(cString: $0) } ?? ""
  }
}()
