// What host code calls of a back end that is compiled apart from it: devices, memory, copies, streams, events. emulate.h and opencl.h
// include this after they have said what a Status, a Stream and an Event are.
#pragma once

namespace sdfgc::gpu {

// Devices

Status deviceCount(int &count);
Status setDevice(int device);
Status getDevice(int &device);
Status limits(Limits &result, int device);
Status deviceSynchronize();
Status getLastError();
Status peekLastError();
const char *getErrorString(Status status);
const char *getErrorName(Status status);

// Memory

Status free(void *pointer);
Status freeHost(void *pointer);

Status memcpyAsync(void *to, const void *from, size_t bytes, CopyKind kind, Stream stream);
Status memcpySync(void *to, const void *from, size_t bytes, CopyKind kind);
Status memcpy2DAsync(void *to, size_t toPitch, const void *from, size_t fromPitch, size_t width, size_t height, CopyKind kind,
                     Stream stream);
Status memcpy3DAsync(const Copy3D &copy, CopyKind kind, Stream stream);
Status memsetAsync(void *pointer, int byte, size_t bytes, Stream stream);
Status memsetSync(void *pointer, int byte, size_t bytes);
Status memset2DAsync(void *pointer, size_t pitch, int byte, size_t width, size_t height, Stream stream);

// Streams and events

Status streamCreate(Stream &stream);
Status streamCreateBlocking(Stream &stream);
Status streamCreateWithPriority(Stream &stream, int priority);
Status streamDestroy(Stream stream);
Status streamSynchronize(Stream stream);
Status streamQuery(Stream stream);
Status streamIsCapturing(Stream stream, bool &capturing);
Status streamWaitEvent(Stream stream, Event event);
Status launchHostFunction(Stream stream, void (*function)(void *), void *argument);
Status eventCreate(Event &event);
Status eventCreateTiming(Event &event);
Status eventDestroy(Event event);
Status eventRecord(Event event, Stream stream);
Status eventSynchronize(Event event);
Status eventQuery(Event event);
Status eventElapsed(float &milliseconds, Event begin, Event end);

} // namespace sdfgc::gpu
