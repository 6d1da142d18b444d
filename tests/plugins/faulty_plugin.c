/* A plugin with one tool, which greets, and with the fault that has the number FAULT. Without a fault (0) it keeps all
 * rules. conformance_check_test builds it once for each number, and says which rule each one breaks. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <wtool/ext/explain.h>
#include <wtool/tool.h>

#ifndef FAULT
#define FAULT 0
#endif
#define HAS(number) (FAULT == (number))
#define TEXT(literal) \
  { literal, sizeof(literal) - 1 }

static const wtool_descriptor greet = {
    .struct_size = HAS(1) ? 40 : sizeof(wtool_descriptor),
    .hints = HAS(2) ? 64 : WTOOL_HINT_READ_ONLY | WTOOL_HINT_IDEMPOTENT,
#if FAULT == 3
    .id = TEXT("Greet!"),
#else
    .id = TEXT("greet"),
#endif
    .title = TEXT("Greet somebody"),
#if FAULT == 4
    .version = TEXT("one"),
#else
    .version = TEXT("1.0.0"),
#endif
    .description = TEXT("Says hello to the person with this name."),
#if FAULT == 5
    .input_schema = TEXT("{\"type\":\"objekt\"}"),
#elif FAULT == 6
    .input_schema = TEXT("{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"}},\"required\":[\"name\"],"
                         "\"additionalProperties\":false,\"examples\":[{\"nam\":\"you\"},{\"name\":\"you\"}]}"),
#else
    .input_schema =
        TEXT("{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"pattern\":\"^[a-z]+$\"}},"
             "\"required\":[\"name\"],\"additionalProperties\":false,\"examples\":[{\"name\":\"you\"}]}"),
#endif
#if FAULT == 7
    .output_schema = TEXT("{\"type\":\"object\",\"required\":\"greeting\"}"),
#else
    .output_schema = TEXT("{\"type\":\"object\",\"properties\":{\"greeting\":{\"type\":\"string\"}}}"),
#endif
};

struct wtool_call {
  char* name; /* NULL: the arguments are not valid */
  char* result;
  void* sink_ctx;
  int32_t (*on_event)(void*, const wtool_event*) WTOOL_NOEXCEPT;
  const wtool_request* request;
  int ran;
  atomic_int over;
  atomic_int cancelled;
  pthread_mutex_t running;
};

static int started;
static _Thread_local int started_here;
static atomic_int calls_inside;
static int times_started;
static const wtool_tool the_tool;

static void release(wtool_blob* self) WTOOL_NOEXCEPT {
  if (!HAS(8)) free(self->owner);
  if (!HAS(9)) self->release = NULL;
}

static void fill(wtool_blob* out, char* text) {
  out->bytes.data = text;
  out->bytes.size = strlen(text);
  out->owner = text;
  out->release = release;
}

static wtool_status refuse(wtool_blob* error, wtool_status status, const char* sentence) {
  if (error != NULL && WTOOL_HAS(error, release)) fill(error, strdup(HAS(10) ? "\xff\xfe" : sentence));
  if (HAS(11) && error == NULL) *(volatile char*)NULL = 1;
  return status;
}

static void handler(int signal) { (void)signal; }
static void at_exit(int status, void* unused) { (void)status, (void)unused; }

static wtool_status init(const wtool_host* host, wtool_blob* error) WTOOL_NOEXCEPT {
  if (HAS(12) ? 0 : host == NULL) return refuse(error, WTOOL_E_INVALID_ARGUMENT, "There is no host.");
  if (HAS(13) ? host->get_extension == NULL : !WTOOL_HAS(host, get_extension)) {
    return refuse(error, WTOOL_E_INVALID_ARGUMENT, "The host is too small.");
  }
  if (HAS(14) && host->struct_size != sizeof *host) return refuse(error, WTOOL_E_INVALID_ARGUMENT, "Another host.");
  if (HAS(71)) return refuse(error, WTOOL_E_INTERNAL, "It never works.");
  if (started && !HAS(15)) return refuse(error, WTOOL_E_INVALID_ARGUMENT, "It is initialised already.");
  if (HAS(16) && times_started++ > 0) return refuse(error, WTOOL_E_INTERNAL, "Once was enough.");
  started = started_here = 1;
  if (HAS(17)) signal(SIGUSR1, handler);
  if (HAS(18)) setenv("GREETED", "yes", 1);
  if (HAS(19)) on_exit(at_exit, NULL);
  if (HAS(20)) printf("the plugin is ready\n"), fflush(stdout);
  return WTOOL_OK;
}

static void deinit(void) WTOOL_NOEXCEPT {
  if (HAS(21)) pause();
  started = 0;
}

static uint32_t tool_count(void) WTOOL_NOEXCEPT { return 1; }

static const wtool_descriptor* tool_at(uint32_t index) WTOOL_NOEXCEPT { return index == 0 || HAS(22) ? &greet : NULL; }

static wtool_status tool_new(wtool_view id, wtool_view config, const wtool_tool** out,
                             wtool_blob* error) WTOOL_NOEXCEPT {
  if (out == NULL) return refuse(error, WTOOL_E_INVALID_ARGUMENT, "There is no out.");
  if (!started && !HAS(23)) return refuse(error, WTOOL_E_INVALID_ARGUMENT, "It is not initialised.");
  if (HAS(24) && !started_here) return refuse(error, WTOOL_E_INTERNAL, "This is another thread.");
  if (!HAS(25) && (id.size != greet.id.size || memcmp(id.data, greet.id.data, id.size) != 0)) {
    if (HAS(26)) *out = NULL;
    return refuse(error, WTOOL_E_UNSUPPORTED, "There is no such tool.");
  }
  if (!HAS(27) && config.size != 0 && (config.size != 2 || memcmp(config.data, "{}", 2) != 0)) {
    return refuse(error, WTOOL_E_INVALID_ARGUMENT, "The configuration has no keys.");
  }
  *out = &the_tool;
  return WTOOL_OK;
}

/* The name in {"name":"..."}, of lower case letters; NULL: the arguments are something else. */
static char* name_in(const char* text, size_t size) {
  static const char before[] = "{\"name\":\"";
  const size_t head = sizeof before - 1;
  if (HAS(28)) return strdup("you");
  if (size < head + 3 || memcmp(text, before, head) != 0 || memcmp(text + size - 2, "\"}", 2) != 0) return NULL;
  for (size_t i = head; i < size - 2; ++i) {
    if (text[i] < 'a' || text[i] > 'z') return NULL;
  }
  return strndup(text + head, size - 2 - head);
}

static int depth_of(const char* text, size_t size) {
  volatile char room[200];
  room[0] = *text;
  return size > 1 && (*text == '[' || *text == '{') ? 1 + depth_of(text + 1, size - 1) + (room[0] & 0) : 0;
}

static wtool_status call_new(const wtool_tool* tool, const wtool_request* request, wtool_call** out,
                             wtool_blob* error) WTOOL_NOEXCEPT {
  if (tool == NULL || request == NULL || out == NULL)
    return refuse(error, WTOOL_E_INVALID_ARGUMENT, "A pointer is NULL.");
  if (!HAS(29) && !WTOOL_HAS(request, arguments)) return refuse(error, WTOOL_E_INVALID_ARGUMENT, "No arguments.");
  if (HAS(30) && request->struct_size > sizeof *request) return refuse(error, WTOOL_E_INVALID_ARGUMENT, "Too large.");
  wtool_call* call = calloc(1, sizeof *call);
  pthread_mutex_init(&call->running, NULL);
  call->request = request;
  if (HAS(31)) {
    const char* deep = memchr(request->arguments.data, '[', request->arguments.size);
    if (deep != NULL) depth_of(deep, request->arguments.size - (size_t)(deep - request->arguments.data));
  }
  call->name = name_in(request->arguments.data, request->arguments.size);
  if (HAS(32) || WTOOL_HAS(request, on_event)) {
    call->sink_ctx = request->sink_ctx;
    call->on_event = request->on_event;
  }
  *out = call;
  return WTOOL_OK;
}

static void* late(void* context) {
  const wtool_call* call = context;
  static const wtool_event event = {.struct_size = sizeof event, .kind = WTOOL_EVENT_STDOUT, .seq = 3};
  call->on_event(call->sink_ctx, &event);
  return NULL;
}

static void* tell(void* context) {
  wtool_call* call = context;
  for (uint64_t seq = 1; seq <= 2 && call->on_event != NULL; ++seq) {
    wtool_event event = {.struct_size = sizeof event, .kind = WTOOL_EVENT_STDOUT, .seq = HAS(33) ? seq - 1 : seq};
    event.payload = (wtool_view)TEXT("hello\n");
    if (call->on_event(call->sink_ctx, &event) != 0) {
      if (HAS(34)) return context;
      break;
    }
  }
  return NULL;
}

static void* sleeping(void* unused) { return pause(), unused; }

static void change_the_host(void) {
  static int kept;
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGUSR2);
  const struct rlimit limit = {100, 100};
  pthread_t thread;
  if (HAS(35)) pthread_sigmask(SIG_BLOCK, &mask, NULL);
  if (HAS(36) && chdir("/") != 0) kept = -1;
  if (HAS(37)) umask(0);
  if (HAS(38)) setlocale(LC_ALL, "C.UTF-8");
  if (HAS(39)) setrlimit(RLIMIT_NOFILE, &limit);
  if (HAS(40)) kept = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (HAS(41)) pthread_create(&thread, NULL, sleeping, NULL);
  if (HAS(42) && fork() == 0) _exit(0);
  if (HAS(43) && fork() == 0) {
    if (fork() == 0) pause();
    _exit(0);
  }
  if (HAS(44)) mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  (void)kept;
}

static wtool_status call_run(wtool_call* call, wtool_blob* result, wtool_blob* error) WTOOL_NOEXCEPT {
  if (call == NULL || result == NULL) return refuse(error, WTOOL_E_INVALID_ARGUMENT, "A pointer is NULL.");
  if (!HAS(45) && !WTOOL_HAS(result, release)) return refuse(error, WTOOL_E_INVALID_ARGUMENT, "The blob is too small.");
  if (call->ran++ != 0 && !HAS(46)) {
    if (HAS(47)) result->bytes.size = 5;
    return refuse(error, WTOOL_E_INVALID_ARGUMENT, "It has run.");
  }
  if (HAS(48) && call->request->arguments.size == 0) return refuse(error, WTOOL_E_INTERNAL, "Nothing is there.");
  if (HAS(49) && atomic_fetch_add(&calls_inside, 1) != 0) {
    atomic_fetch_sub(&calls_inside, 1);
    return refuse(error, WTOOL_E_BUSY, "One at a time.");
  }
  if (HAS(72)) return refuse(error, WTOOL_E_INTERNAL, "It never works.");
  volatile char room[HAS(50) ? 1 << 20 : 1];
  room[0] = 0;
  if (HAS(50)) memset((void*)room, 1, sizeof room);
  change_the_host();
  void* refused = NULL;
  const int cancelled_before = atomic_load(&call->cancelled);
  if (HAS(51)) pthread_mutex_lock(&call->running);
  if (HAS(52)) {
    pthread_t thread;
    pthread_create(&thread, NULL, tell, call);
    pthread_join(thread, &refused);
  } else if (!cancelled_before) {
    refused = tell(call);
  }
  if (HAS(51)) pthread_mutex_unlock(&call->running);
  const int cancelled = atomic_load(&call->cancelled);
  if (HAS(54) && cancelled && !cancelled_before) pause();
  if (HAS(49)) {
    const struct timespec moment = {0, 20000000};
    nanosleep(&moment, NULL);
    atomic_fetch_sub(&calls_inside, 1);
  }
  if (refused != NULL) return refuse(error, WTOOL_E_INTERNAL, "The sink refused.");
  char text[1000];
  if (call->name == NULL) {
    snprintf(text, sizeof text, "{\"content\":[],\"is_error\":true,\"metadata\":{}}");
  } else if (HAS(55)) {
    snprintf(text, sizeof text, "{\"content\":[],\"metadata\":{}}");
  } else if (HAS(56)) {
    snprintf(text, sizeof text, "{\"content\":[],\"is_error\":false,\"metadata\":{\"greeting\":5}}");
  } else {
    snprintf(text, sizeof text,
             "{\"content\":[{\"type\":\"text\",\"text\":\"hello %s\"}],\"is_error\":false,"
             "\"metadata\":{\"greeting\":\"hello %s\"}}",
             call->name, call->name);
  }
  fill(result, strdup(text));
  if (HAS(57)) call->result = (char*)result->bytes.data;
  if (!cancelled) atomic_store(&call->over, 1);
  return cancelled && !HAS(58) ? WTOOL_E_CANCELLED : WTOOL_OK;
}

static void call_cancel(wtool_call* call, uint32_t how, wtool_view reason) WTOOL_NOEXCEPT {
  (void)how, (void)reason;
  if (call == NULL) return;
  if (HAS(59) && atomic_load(&call->over)) raise(SIGSEGV);
  atomic_store(&call->cancelled, 1);
  if (HAS(51)) {
    pthread_mutex_lock(&call->running);
    pthread_mutex_unlock(&call->running);
  }
}

static void call_free(wtool_call* call) WTOOL_NOEXCEPT {
  if (HAS(60) ? 0 : call == NULL) return;
  if (HAS(61) && !call->ran) abort();
  if (HAS(53) && call->ran && call->on_event != NULL) {
    pthread_t thread;
    pthread_create(&thread, NULL, late, call);
    pthread_join(thread, NULL);
  }
  if (call->result != NULL) memset(call->result, 'x', strlen(call->result));
  pthread_mutex_destroy(&call->running);
  free(call->name);
  free(call);
}

static wtool_status explain(const wtool_tool* tool, const wtool_request* request, wtool_blob* result,
                            wtool_blob* error) WTOOL_NOEXCEPT {
  (void)tool, (void)request, (void)error;
  fill(result, strdup(HAS(63) ? "{\"verdict\":\"perhaps\"}" : "{\"verdict\":\"allow\"}"));
  return WTOOL_OK;
}

static const void* get_extension(const wtool_tool* tool, const char* id) WTOOL_NOEXCEPT {
  static const wtool_tool_explain explains = {.struct_size = sizeof explains, .explain = explain};
  (void)tool;
  if (HAS(62)) return &explains;
  return HAS(63) && id != NULL && strcmp(id, WTOOL_EXT_EXPLAIN) == 0 ? &explains : NULL;
}

static void destroy(const wtool_tool* tool) WTOOL_NOEXCEPT {
  if (HAS(64) && tool != NULL) raise(SIGSEGV);
}

static const wtool_tool the_tool = {.struct_size = sizeof(wtool_tool),
                                    .descriptor = &greet,
                                    .call_new = call_new,
                                    .call_run = call_run,
                                    .call_cancel = call_cancel,
                                    .call_free = HAS(65) ? NULL : call_free,
                                    .get_extension = get_extension,
                                    .destroy = destroy};

#if FAULT == 66
#define wtool_entry_v1 wtool_entry_v7
WTOOL_EXPORT extern const wtool_entry wtool_entry_v1;
#endif

const wtool_entry wtool_entry_v1 = {.struct_size = HAS(67) ? 40 : sizeof(wtool_entry),
                                    .abi_major = HAS(68) ? 2 : WTOOL_ABI_MAJOR,
                                    .abi_minor = WTOOL_ABI_MINOR,
                                    .plugin_name = TEXT("faulty"),
                                    .plugin_version = TEXT("1.0.0"),
                                    .init = init,
                                    .deinit = deinit,
                                    .tool_count = tool_count,
                                    .tool_at = tool_at,
                                    .tool_new = tool_new};

#if FAULT == 69
void not_there(void);
__attribute__((constructor)) static void begin(void) { not_there(); }
#elif FAULT == 70
__attribute__((constructor)) static void begin(void) { _exit(0); }
#endif
