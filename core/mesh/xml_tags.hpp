// The tags of an XML file one after the other: as much of XML as the files of VTK use.
#pragma once

#include "core/mesh/file_cursor.hpp"

#include <map>
#include <string>
#include <string_view>

namespace resilin::mesh_detail {

struct XmlTag {
  std::string name;
  std::map<std::string, std::string, std::less<>> attributes;
  std::string_view text_before;  ///< what stands between the tag before and this one
  bool closing = false;          ///< </name>
  bool empty = false;            ///< <name/>
  int line = 0;
};

/// The next tag; comments, <?...?> and <!...> are passed over. Its name is empty at the end of the file.
/// Fails (Error(Input) with the line) where a tag is broken off or an attribute is malformed.
XmlTag next_tag(FileCursor& in);

/// Base64 text piece by piece: several blocks, each with padding of its own, may follow one another.
class Base64Stream {
 public:
  explicit Base64Stream(std::string_view text) : text_(text) {}
  /// The next `count` bytes, appended to `bytes`; false if the text ends before or holds anything else.
  bool take(std::size_t count, std::string& bytes);

 private:
  bool next_group();

  std::string_view text_;
  std::string pending_;  ///< decoded, not yet taken
};

}  // namespace resilin::mesh_detail
