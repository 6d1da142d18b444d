// Makes what a program prints safe for the screen model (libvterm).
//
// libvterm 0.1 trusts its input. It writes outside its memory if it gets more than 16 parameters, characters of
// negative width, or a cursor that was saved on a larger screen. It repeats a character without width forever, and
// remembers any number of combining characters. So nothing reaches it unchecked. The gate reads the whole stream by
// itself, and passes on:
//
// - whole characters: valid UTF-8 (anything else becomes U+FFFD);
// - of the control characters, only those from backspace (0x08) to shift in (0x0f), such as line feed;
// - the sequences that full-screen programs use, rewritten with at most 15 numbers, none above 9999.
//
// The gate drops everything else. It reads titles itself, up to a maximum length. What it keeps between two calls is
// bounded. Only one thread at a time may use an object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wtool::screen {

class GateTarget {
 public:
  virtual ~GateTarget() = default;
  // ASCII text, a control character, or one whole sequence.
  virtual void write(std::string_view bytes) = 0;
  // One character beyond ASCII, in UTF-8.
  virtual void write_character(std::string_view character) = 0;
  virtual void set_title(std::string_view title) = 0;
};

class Gate {
 public:
  // `target` must outlive this object.
  explicit Gate(GateTarget& target) : target_(target) {}

  void take(std::string_view bytes);

 private:
  enum class State { text, escape, escape_rest, csi, csi_ignored, string, string_ignored };

  void take(unsigned char byte);
  void take_text(unsigned char byte);
  void take_escape(unsigned char byte);
  void take_escape_rest(unsigned char byte);
  void take_csi(unsigned char byte);
  void control(unsigned char byte);
  void character(std::uint32_t code);
  void broken_character();
  void flush();
  void send(const std::string& sequence);
  void finish_csi(char final);
  void set_modes(char leader, const std::vector<std::string>& groups, char final);
  void repeat(int count);
  void finish_string();

  GateTarget& target_;
  State state_ = State::text;
  std::string text_;       // ASCII that has not been written yet
  std::string collected_;  // the bytes so far of a sequence or a string
  bool escape_in_string_ = false;
  std::uint32_t code_ = 0;  // the first bits of a character that is not complete
  std::uint32_t least_ = 0;
  int missing_ = 0;   // how many bytes of that character are still to come
  std::string last_;  // the last character, which the sequence REP repeats
};

}  // namespace wtool::screen
