#ifndef TRAVELOG_CSWIFTRUNTIME_H
#define TRAVELOG_CSWIFTRUNTIME_H

// An entry of Swift's runtime that Swift itself may not declare: retains an object and returns it,
// or returns null if the object is being destroyed. The memory of the object must be valid.
void *_Nullable swift_tryRetain(void *_Nonnull object);

// Another: makes an object of a class, with nothing in it but the class and its counts.
void *_Nonnull swift_allocObject(const void *_Nonnull type, long size, long alignmentMask);

#endif
