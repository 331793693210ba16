"""How builds find an exported library: pkg-config and CMake; each finds its place by where its own file lies."""

from __future__ import annotations

PKG_CONFIG = """\
prefix=${{pcfiledir}}/../..
libdir=${{prefix}}/lib
includedir=${{prefix}}/include

Name: {name}
Description: Value and gradient of {program}
Version: {version}
Libs: -L${{libdir}} -l{name}
Cflags: -I${{includedir}}
"""

CMAKE = """\
get_filename_component(_prefix "${{CMAKE_CURRENT_LIST_DIR}}/../../.." ABSOLUTE)
if(NOT TARGET {name}::{name})
  add_library({name}::{name} SHARED IMPORTED)
  set_target_properties({name}::{name} PROPERTIES
    IMPORTED_LOCATION "${{_prefix}}/lib/lib{name}.so"
    IMPORTED_SONAME "lib{name}.so.{major}"
    INTERFACE_INCLUDE_DIRECTORIES "${{_prefix}}/include")
endif()
unset(_prefix)
"""

CMAKE_VERSION = """\
set(PACKAGE_VERSION "{version}")
if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION STREQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
"""

SYMBOLS = "{name}_{major} {{\n  global: {name}; {name}_*;\n  local: *;\n}};\n"


def package_files(name: str, program: str, version: str) -> dict[str, str]:
    """Texts by path."""
    words = {"name": name, "program": program, "version": version, "major": major(version)}
    return {
        f"lib/pkgconfig/{name}.pc": PKG_CONFIG.format(**words),
        f"lib/cmake/{name}/{name}Config.cmake": CMAKE.format(**words),
        f"lib/cmake/{name}/{name}ConfigVersion.cmake": CMAKE_VERSION.format(**words),
        f"src/{name}.map": SYMBOLS.format(**words),
    }


def major(version: str) -> str:
    """The number of the interface."""
    return version.partition(".")[0]
