// The two ways a computation ends early: bad input (a sentence for the user) and a stop asked for from outside.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace tw {

// Input that cannot be used. bind/ turns it into Python's ValueError with the same sentence.
struct BadInput : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// Ctrl-C was pressed. bind/ turns it into KeyboardInterrupt.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

}  // namespace tw
