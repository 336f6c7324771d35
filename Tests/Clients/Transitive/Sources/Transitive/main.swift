import Library
import Stamp

print(#stamp, try pages())
