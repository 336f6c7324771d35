#ifndef TRAVELOG_CSWIFTRUNTIME_H
#define TRAVELOG_CSWIFTRUNTIME_H

// A function of Swift's runtime that Swift code may not declare: retains and returns an object,
// or returns null if the object is being destroyed. The memory of the object must be valid.
void *_Nullable swift_tryRetain(void *_Nonnull object);

// Allocates an object of a class; only the class and the reference counts are initialized.
void *_Nonnull swift_allocObject(const void *_Nonnull type, long size, long alignmentMask);

#endif
