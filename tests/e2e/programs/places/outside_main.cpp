/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * OpenMP before and after main: in a constructor and a destructor of the program, in static objects of C++, in what a
 * thread destroys at its end, and in atexit handlers. One region of two threads for each word it says.
 */
#include <cstdlib>
#include <thread>

#include "life.h"

__attribute__((constructor)) static void construct() {
  region("constructor");
}

__attribute__((destructor)) static void destruct() {
  region("destructor");
}

struct object {
  const char *at_end;
  object(const char *at_begin, const char *end) : at_end(end) {
    region(at_begin);
  }
  ~object() {
    region(at_end);
  }
};

static object global("static object", "static object's end");

static void on_a_thread() {
  static thread_local object own("thread's object", "thread's object's end");
  region(own.at_end[0] == 't' ? "thread" : "wrong");
}

int main() {
  std::atexit([] { region("atexit"); });
  region("main");
  std::thread(on_a_thread).join();
  static thread_local object own("main thread's object", "main thread's object's end");
  return own.at_end[0] == 'm' ? 7 : 1;
}
