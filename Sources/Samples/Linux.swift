// The one line that differs between platforms: with it, every file of this module sees the members
// that Foundation has on a Mac and lacks on Linux.
#if os(Linux)
import FoundationExtras
#endif
