// A file system that fails: preloaded into a run, it counts the calls that change files under a folder, and lets the n-th fail.
// IKERU_FAIL_UNDER: the folder. IKERU_FAIL_AT: n, from 1. IKERU_FAIL_MARK: a file that is made when the call fails.
// IKERU_FAIL_HOW: full (no space from then on), error (an input/output error once), interrupted (once), short (half of a write),
// crash (the process ends after the call), torn (it ends after half of the call).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 4096 };
static char watched[MOST];
static int calls;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_under(const char *path) {
    const char *folder = getenv("IKERU_FAIL_UNDER");
    return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static int is(const char *how) {
    const char *wanted = getenv("IKERU_FAIL_HOW");
    return wanted && strcmp(wanted, how) == 0;
}

// Whether this call fails: 1 at the n-th, 2 after it.
static int turn(void) {
    const char *at = getenv("IKERU_FAIL_AT"), *mark = getenv("IKERU_FAIL_MARK");
    int here = __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST), wanted = at ? atoi(at) : 0;
    if (here == wanted && mark) {
        int fd = REAL(open)(mark, O_WRONLY | O_CREAT, 0666);
        if (fd >= 0) REAL(close)(fd);
    }
    return here == wanted ? 1 : here > wanted ? 2 : 0;
}

// The error of a call; 0 if it takes place.
static int error_of(int turn) {
    if (turn && is("full")) return ENOSPC;
    if (turn == 1 && is("error")) return EIO;
    if (turn == 1 && is("interrupted")) return EINTR;
    return 0;
}

static void end_after(int turn) {
    if (turn == 1 && (is("crash") || is("torn"))) _exit(137);
}

#define FAIL(turn, may_be_interrupted)                          \
    do {                                                        \
        int why = error_of(turn);                               \
        if (why == EINTR && !(may_be_interrupted)) why = 0;     \
        if (why) { errno = why; return -1; }                    \
    } while (0)

static int opened(const char *path, int flags, mode_t mode, int (*real)(const char *, int, ...)) {
    int changes = (flags & (O_WRONLY | O_RDWR | O_CREAT)) && is_under(path);
    int now = changes ? turn() : 0;
    FAIL(now, 1);
    int fd = real(path, flags, mode);
    if (fd >= 0 && fd < MOST) watched[fd] = (char)changes;
    end_after(now);
    return fd;
}

#define OPEN(name)                                              \
    int name(const char *path, int flags, ...) {                \
        va_list rest;                                           \
        va_start(rest, flags);                                  \
        mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0; \
        va_end(rest);                                           \
        return opened(path, flags, mode, REAL(name));           \
    }
OPEN(open)
OPEN(open64)

int close(int fd) {
    if (fd >= 0 && fd < MOST) watched[fd] = 0;
    return REAL(close)(fd);
}

ssize_t write(int fd, const void *bytes, size_t count) {
    int now = fd >= 0 && fd < MOST && watched[fd] ? turn() : 0;
    FAIL(now, 1);
    int half = now == 1 && (is("short") || is("torn")) && count > 1;
    ssize_t done = REAL(write)(fd, bytes, half ? count / 2 : count);
    end_after(now);
    return done;
}

int rename(const char *from, const char *to) {
    int now = is_under(to) ? turn() : 0;
    FAIL(now, 0);
    int done = REAL(rename)(from, to);
    end_after(now);
    return done;
}

int mkdir(const char *path, mode_t mode) {
    int now = is_under(path) ? turn() : 0;
    FAIL(now, 0);
    int done = REAL(mkdir)(path, mode);
    end_after(now);
    return done;
}

int unlink(const char *path) {
    int now = is_under(path) ? turn() : 0;
    int why = error_of(now);
    if (why == EIO) { errno = why; return -1; }
    int done = REAL(unlink)(path);
    end_after(now);
    return done;
}

int ftruncate64(int fd, off64_t length) {
    int now = fd >= 0 && fd < MOST && watched[fd] ? turn() : 0;
    FAIL(now, 1);
    int done = REAL(ftruncate64)(fd, length);
    end_after(now);
    return done;
}

#define SYNC(name)                                              \
    int name(int fd) {                                          \
        int now = fd >= 0 && fd < MOST && watched[fd] ? turn() : 0; \
        FAIL(now, 1);                                           \
        int done = REAL(name)(fd);                              \
        end_after(now);                                         \
        return done;                                            \
    }
SYNC(fsync)
SYNC(fdatasync)
