// Files that were written for Apple's SwiftData import only SwiftData, but use Date, UUID,
// #Predicate and @Observable. So this module also exports the modules that declare these.
@_exported public import Foundation
@_exported public import FoundationExtras
@_exported public import Observation
